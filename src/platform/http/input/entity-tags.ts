import type { IncomingMessage } from 'node:http';
import { HttpException, PreconditionFailedException } from '@nestjs/common';
import { invalidInput } from '../fault';

/** The entity tags of a conditional request; `*` stands for any. */
type EntityTags = '*' | string[];

const MAX_HEADER_BYTES = 1024;

const TAG = String.raw`(?:W/)?("[\x21\x23-\x7e\x80-\xff]*")`;
const LIST = new RegExp(String.raw`^[\t ,]*${TAG}(?:[\t ]*,[\t ,]*${TAG})*[\t ,]*$`);

/** The strong entity tag of this version of a resource. */
export const entityTag = (version: number): string => `"${version}"`;

/** The same as a weak tag, which SCIM shows as `meta.version`. */
export const weakEntityTag = (version: number): string => `W/${entityTag(version)}`;

/** The tags in this header (RFC 9110, 13.1.1 and 13.1.2), weak ones as if strong; throws a 400 if it is malformed. */
function tagsOf({ headers }: IncomingMessage, name: 'If-Match' | 'If-None-Match'): EntityTags | undefined {
  const value = headers[name.toLowerCase()] as string | undefined;
  if (value === undefined) return undefined;
  if (value.length > MAX_HEADER_BYTES)
    throw invalidInput([
      { field: name, code: 'too_long', message: `must not exceed ${MAX_HEADER_BYTES} bytes` },
    ]);
  if (value.trim() === '*') return '*';
  if (!LIST.test(value))
    throw invalidInput([
      { field: name, code: 'invalid', message: 'must be * or a list of entity tags, such as "7"' },
    ]);
  return [...value.matchAll(new RegExp(TAG, 'g'))].map(([, tag]) => tag);
}

const has = (tags: EntityTags, version: number) => tags === '*' || tags.includes(entityTag(version));

/** Tells whether the caller of this GET has a version already, by its If-None-Match. */
export function freshness(request: IncomingMessage): (version: number) => boolean {
  const ifNoneMatch = tagsOf(request, 'If-None-Match');
  return (version) => ifNoneMatch !== undefined && has(ifNoneMatch, version);
}

/** The same of a file. A malformed header is ignored, and no tag can contain another, because none contains a quote. */
export function hasFile({ headers }: IncomingMessage, tag: string): boolean {
  const ifNoneMatch = headers['if-none-match']?.trim();
  return ifNoneMatch === '*' || ifNoneMatch?.includes(tag) === true;
}

/** Throws if the conditions do not allow a write of this version. */
export type Precondition = (version: number) => void;

/** Allows a write of any version. */
export const always: Precondition = () => {};

/**
 * The conditions of this write: a 412 if the version does not meet them, a 428 if a required If-Match is missing.
 * `what` names the resource in the error.
 */
export function preconditionOf(request: IncomingMessage, what: string, requireIfMatch = false): Precondition {
  const ifMatch = tagsOf(request, 'If-Match');
  const ifNoneMatch = tagsOf(request, 'If-None-Match');
  return (version) => {
    if (requireIfMatch && ifMatch === undefined) {
      const message = `Send If-Match with the ETag of the ${what}, so that no other change is overwritten.`;
      throw new HttpException({ statusCode: 428, code: 'precondition_required', message }, 428);
    }
    const isMet =
      (ifMatch === undefined || has(ifMatch, version)) && !(ifNoneMatch && has(ifNoneMatch, version));
    if (!isMet) throw new PreconditionFailedException(`The ${what} has another version.`);
  };
}
