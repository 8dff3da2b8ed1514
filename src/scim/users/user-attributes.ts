import { finish } from '../../fairness/give-way';
import { applyPatch } from '../patch/patch';
import { normalize, refuseLarge, type Resource } from '../schema/resource';
import { USER } from '../schema/user.schema';
import { refuseLossOfEmail } from './user-fields';

// The writable attributes of a user after a write, from the `old` ones and the body. No function changes its arguments.

export function createdUser(body: unknown): Resource {
  const resource = normalize(USER, body);
  refuseLarge(resource);
  return resource;
}

/** A PUT keeps `active` if the body does not have it. */
export function replacedUser(old: Resource, body: unknown): Resource {
  const resource = { active: old.active, ...normalize(USER, body) };
  refuseLarge(resource, old);
  return resource;
}

export async function patchedUser(old: Resource, body: unknown): Promise<Resource> {
  const resource = await finish(applyPatch(USER, old, body));
  refuseLarge(resource, old);
  refuseLossOfEmail(resource, old);
  return resource;
}
