import { isDeepStrictEqual } from 'node:util';
import { finish } from '../../platform/fairness/give-way';
import { isAddress, hasCharacters } from '../../platform/http/input/checks';
import { emailKey } from '../../users/user/user.keys';
import { type Role, ROLES } from '../../users/user/user.entity';
import { applyPatch } from '../patch/patch';
import { type Complex, normalize, refuseLarge, type Resource } from '../schema/resource';
import { invalidValue, uniqueness } from '../schema/scim-error';
import { USER } from '../schema/user.schema';

const MAX_NAME = 200;
const MAX_EMAIL = 254;

/** The fields of a user that a SCIM user sets; a field is absent if it is not set or has not changed. */
export interface UserInput {
  /** The candidates for the email, best first. */
  emails?: string[];
  name?: string;
  role?: Role;
  active?: boolean;
}

/** The fields to change in a user. Only differences from `old` count, so later changes through the API are kept. */
export function inputOf(resource: Resource, old: Resource = {}): UserInput {
  const input: UserInput = {};
  const emails = emailCandidates(resource);
  if (!isDeepStrictEqual(emails, emailCandidates(old))) input.emails = emails;
  const name = fullName(resource);
  if (name !== fullName(old)) input.name = name;
  const role = roleOf(resource);
  if (role && role !== roleOf(old)) input.role = role;
  if (resource.active !== undefined && resource.active !== old.active)
    input.active = resource.active as boolean;
  return input;
}

/** The valid addresses among the primary email, the work email, the first email and the userName, in this order. */
export function emailCandidates({ emails, userName }: Resource): string[] {
  const list = (emails ?? []) as Complex[];
  const preferred = [
    list.find(({ primary }) => primary === true),
    list.find(({ type }) => typeof type === 'string' && type.toLowerCase() === 'work'),
    list[0],
  ].map((email) => email?.value);
  const addresses = [...preferred, userName].filter(isEmail).map((email) => email.trim());
  const keys = addresses.map(emailKey);
  return addresses.filter((_email, i) => keys.indexOf(keys[i]) === i);
}

/** The first candidate that no other user has. Without candidates, a user keeps the `current` email. */
export function chooseEmail(
  candidates: readonly string[],
  isFree: (email: string) => boolean,
  current?: string,
): string {
  const free = candidates.find(isFree);
  if (free !== undefined) return free;
  if (candidates.length) throw uniqueness('Other users have all addresses in emails');
  if (current === undefined) throw invalidValue('emails or userName must have an email address');
  return current;
}

/** For a PATCH: removing the last email would leave the user without an address. */
function refuseLossOfEmail(resource: Resource, old: Resource): void {
  if (old.emails && !resource.emails && !isEmail(resource.userName))
    throw invalidValue('The last of emails cannot be removed, because userName is not an email address');
}

const isEmail = (value: unknown): value is string =>
  typeof value === 'string' && isAddress(value.trim()) && !hasCharacters(value.trim(), MAX_EMAIL + 1);

/** `displayName`, else `name.formatted`, else given and family name, else `userName`; at most 200 characters. */
export function fullName({ displayName, name, userName }: Resource): string {
  const { formatted, givenName, familyName } = (name ?? {}) as Complex;
  const parts = [givenName, familyName].filter((part) => part !== undefined).join(' ');
  const names = [displayName, formatted, parts, userName].map((value) => String(value ?? '').trim());
  return shortened(names.find((value) => value !== '') ?? '');
}

const shortened = (name: string) =>
  hasCharacters(name, MAX_NAME + 1) ? [...name].slice(0, MAX_NAME).join('').trimEnd() : name;

/** The role that the primary element of `roles` names. */
export function roleOf({ roles }: Resource): Role | undefined {
  const list = (roles ?? []) as Complex[];
  const value = list.find(({ primary }) => primary === true)?.value;
  return ROLES.find((role) => typeof value === 'string' && role === value.toLowerCase());
}

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
