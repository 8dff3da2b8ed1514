import { PayloadTooLargeException, SetMetadata, type Type } from '@nestjs/common';

const BODY_LIMIT = 'ums:body-limit';

/** The maximum size of a request body in bytes, unless the route sets another. */
export const DEFAULT_BODY_LIMIT = 64 * 1024;

/** The largest maximum of a route. */
export const MAX_BODY_LIMIT = 1024 * 1024;

/** The maximum size of this route's request body in bytes. */
export const BodyLimit = (bytes: number) => SetMetadata(BODY_LIMIT, bytes);

export const bodyLimitOf = (handler: Function): number =>
  Reflect.getMetadata(BODY_LIMIT, handler) ?? DEFAULT_BODY_LIMIT;

/** The limit in words. */
export const sizeInWords = (bytes: number) =>
  bytes % (1024 * 1024) === 0 ? `${bytes / (1024 * 1024)} MB` : `${bytes / 1024} KB`;

export const bodyTooLarge = (limit: number) =>
  new PayloadTooLargeException(`The request body must not exceed ${sizeInWords(limit)}.`);

const OPTIONAL_BODY = 'ums:optional-body';

/** The POST may come without a body and without a type: that means `{}`. */
export const OptionalBody = () => SetMetadata(OPTIONAL_BODY, true);

export const isBodyOptional = (handler: Function): boolean =>
  Reflect.getMetadata(OPTIONAL_BODY, handler) === true;

const BODY_TYPES = 'ums:body-types';

/** The media types that this route's request body may have, with their DTOs, in place of those of its wire format. */
export const BodyTypes = (types: Record<string, Type>) => SetMetadata(BODY_TYPES, types);

export const bodyTypesOf = (handler: Function): Record<string, Type> | undefined =>
  Reflect.getMetadata(BODY_TYPES, handler);
