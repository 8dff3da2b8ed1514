import { finish } from '../../fairness/give-way';
import { applyPatch } from '../patch/patch';
import { normalize, refuseLarge, type Resource } from '../schema/resource';
import { USER } from '../schema/user.schema';
import { refuseLossOfEmail } from './user-fields';

// The attributes of a user after a write. `before` are the writableAttributes(); if the result equals them
// (isDeepStrictEqual), the write changes nothing. No function changes its arguments.

/** The attributes after a POST. */
export function createdUser(body: unknown): Resource {
  const after = normalize(USER, body);
  refuseLarge(after);
  return after;
}

/** The attributes after a PUT, which keeps `active` if the body does not have it. */
export function replacedUser(before: Resource, body: unknown): Resource {
  const after = { active: before.active, ...normalize(USER, body) };
  refuseLarge(after, before);
  return after;
}

/** The attributes after a PATCH. */
export async function patchedUser(before: Resource, body: unknown): Promise<Resource> {
  const after = await finish(applyPatch(USER, before, body));
  refuseLarge(after, before);
  refuseLossOfEmail(before, after);
  return after;
}
