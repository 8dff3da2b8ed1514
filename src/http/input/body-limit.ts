import { SetMetadata } from '@nestjs/common';

const BODY_LIMIT = 'ums:body-limit';

/** The most bytes that the body of a route may have unless it says otherwise. */
export const DEFAULT_BODY_LIMIT = 64 * 1024;

/** The most bytes that the body of this route may have. */
export const BodyLimit = (bytes: number) => SetMetadata(BODY_LIMIT, bytes);

export const bodyLimitOf = (handler: Function): number =>
  Reflect.getMetadata(BODY_LIMIT, handler) ?? DEFAULT_BODY_LIMIT;

/** The limit as people write it. */
export const sizeOf = (bytes: number) =>
  bytes % (1024 * 1024) === 0 ? `${bytes / (1024 * 1024)} MB` : `${bytes / 1024} KB`;
