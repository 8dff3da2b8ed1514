import { PayloadTooLargeException, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

/** The maximum size of a request body in bytes, unless the route sets another. */
export const DEFAULT_BODY_LIMIT = 64 * 1024;

/** The largest maximum of a route. */
export const MAX_BODY_LIMIT = 1024 * 1024;

/** The maximum size of this route's request body in bytes. */
export const BodyLimit = Reflector.createDecorator<number>();

export const bodyLimitOf = (handler: Function): number =>
  Reflect.getMetadata(BodyLimit.KEY, handler) ?? DEFAULT_BODY_LIMIT;

/** The limit in words. */
export const sizeInWords = (bytes: number) =>
  bytes % (1024 * 1024) === 0 ? `${bytes / (1024 * 1024)} MB` : `${bytes / 1024} KB`;

export const bodyTooLarge = (limit: number) =>
  new PayloadTooLargeException(`The request body must not exceed ${sizeInWords(limit)}.`);

/** The POST may come without a body and without a type: that means `{}`. */
export const OptionalBody = Reflector.createDecorator();

export const isBodyOptional = (handler: Function): boolean => Reflect.hasMetadata(OptionalBody.KEY, handler);

/** The media types that this route's request body may have, with their DTOs, in place of those of its wire format. */
export const BodyTypes = Reflector.createDecorator<Record<string, Type>>();

export const bodyTypesOf = (handler: Function): Record<string, Type> | undefined =>
  Reflect.getMetadata(BodyTypes.KEY, handler);
