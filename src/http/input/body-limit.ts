import { SetMetadata } from '@nestjs/common';

const BODY_LIMIT = 'ums:body-limit';
const DEFAULT = 64 * 1024;

/** The most bytes that the body of this route may have. */
export const BodyLimit = (bytes: number) => SetMetadata(BODY_LIMIT, bytes);

export const bodyLimitOf = (handler: Function): number => Reflect.getMetadata(BODY_LIMIT, handler) ?? DEFAULT;

/** The limit as people write it. */
export const sizeOf = (bytes: number) =>
  bytes % (1024 * 1024) === 0 ? `${bytes / (1024 * 1024)} MB` : `${bytes / 1024} KB`;
