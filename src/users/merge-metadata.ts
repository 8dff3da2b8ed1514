import { type Fault, invalidInput } from '../platform/http/fault';
import { isObject } from '../platform/http/input/checks';
import { validate } from '../platform/http/input/validate';
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
  const merged = mergedMetadata(metadata, patch);
  const faults = faultsOfMerged(metadata, merged);
  if (faults) throw invalidInput(faults);
  return merged;
}

/** The same, unchecked. */
export const mergedMetadata = (metadata: Metadata, patch: Metadata): Metadata =>
  merge(metadata, stored(patch)) as Metadata;

/** The faults of metadata after a merge patch. Metadata from before a limit stays valid until it changes. */
export const faultsOfMerged = (metadata: Metadata, merged: Metadata): Fault[] | undefined =>
  isSame(merged, metadata) ? undefined : validate(MetadataDto, { metadata: merged }).faults;

/** Recurses as deep as the patch, whose depth has been checked. */
function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch))
    if (value === null) merged.delete(key);
    else merged.set(key, merge(merged.get(key), value));
  return Object.fromEntries(merged);
}
