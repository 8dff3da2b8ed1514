import { isObject } from '../platform/http/input/checks';
import { validateOrThrow } from '../platform/http/input/validate';
import { isSame, stored } from './user/user.changes';
import type { Metadata } from './user/user.entity';
import { UserMetadata } from './user/metadata.check';

/** The metadata of a user by itself. */
class MetadataDto {
  @UserMetadata()
  metadata: Metadata;
}

/** The metadata after a merge patch (RFC 7396). Throws a 400 if the result is not valid. */
export function mergeMetadata(metadata: Metadata, patch: Metadata): Metadata {
  const merged = merge(metadata, stored(patch)) as Metadata;
  // Metadata from before a limit stays valid until it changes.
  return isSame(merged, metadata) ? metadata : validateOrThrow(MetadataDto, { metadata: merged }).metadata;
}

/** Recurses as deep as the patch, whose depth has been checked. */
function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch))
    if (value === null) merged.delete(key);
    else merged.set(key, merge(merged.get(key), value));
  return Object.fromEntries(merged);
}
