import { type Fault, invalidInput } from '../../platform/http/fault';
import { isObject } from '../../platform/http/input/checks';
import { validate } from '../../platform/http/input/validate';
import { isSame, stored } from './user.changes';
import type { Metadata } from './user.entity';
import { UserMetadata } from './metadata.check';

/** The metadata of a user by itself. */
class MetadataDto {
  @UserMetadata()
  metadata: Metadata;
}

/** The metadata after a merge patch (RFC 7396), or undefined if it changes nothing. Throws a 400 if it is not valid. */
export function mergeMetadata(metadata: Metadata, patch: Metadata): Metadata | undefined {
  const { changed, faults } = mergedMetadata(metadata, patch);
  if (faults) throw invalidInput(faults);
  return changed;
}

/** The same, or the faults. Metadata from before a limit stays valid until it changes. */
export function mergedMetadata(
  metadata: Metadata,
  patch: Metadata,
): { changed?: Metadata; faults?: Fault[] } {
  const changed = withPatch(metadata, patch);
  if (isSame(changed, metadata)) return {};
  const { faults } = validate(MetadataDto, { metadata: changed });
  return faults ? { faults } : { changed };
}

/** The same, unchecked. */
export const withPatch = (metadata: Metadata, patch: Metadata): Metadata =>
  merge(metadata, stored(patch)) as Metadata;

/** Recurses as deep as the patch, whose depth has been checked. */
function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch))
    if (value === null) merged.delete(key);
    else merged.set(key, merge(merged.get(key), value));
  return Object.fromEntries(merged);
}
