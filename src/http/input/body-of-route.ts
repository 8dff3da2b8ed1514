import { SetMetadata } from '@nestjs/common';

const BODY_LIMIT = 'ums:body-limit';

/** The maximum size of a request body in bytes, unless the route sets another. */
export const DEFAULT_BODY_LIMIT = 64 * 1024;

/** The maximum size of this route's request body in bytes. */
export const BodyLimit = (bytes: number) => SetMetadata(BODY_LIMIT, bytes);

export const bodyLimitOf = (handler: Function): number =>
  Reflect.getMetadata(BODY_LIMIT, handler) ?? DEFAULT_BODY_LIMIT;

/** The limit in words. */
export const sizeInWords = (bytes: number) =>
  bytes % (1024 * 1024) === 0 ? `${bytes / (1024 * 1024)} MB` : `${bytes / 1024} KB`;

const OPTIONAL_BODY = 'ums:optional-body';

/** The POST may come without a body and without a type: that means `{}`. */
export const OptionalBody = () => SetMetadata(OPTIONAL_BODY, true);

export const isBodyOptional = (handler: Function): boolean =>
  Reflect.getMetadata(OPTIONAL_BODY, handler) === true;
