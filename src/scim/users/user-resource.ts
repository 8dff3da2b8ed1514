import { weakEntityTag } from '../../platform/http/input/entity-tags';
import type { GroupOfUser } from '../../groups/members/first-members';
import type { User } from '../../users/user/user.entity';
import type { Complex, Resource } from '../schema/resource';
import { ENTERPRISE_URN, USER_URN } from '../schema/user.schema';

/** The attributes that a directory has set, and the fields of the user that were derived from them at that time. */
export interface DirectoryUser {
  userName: string;
  externalId: string | null;
  /** All other attributes, normalized. */
  attributes: Resource;
  email: string;
  name: string;
}

/** The same, with the names of the attributes that no directory has set, but were derived from the user. */
export interface StoredDirectoryUser extends DirectoryUser {
  derived: string[];
}

/** The fields of a user that SCIM shows. */
export type ShownUser = Pick<
  User,
  'id' | 'name' | 'email' | 'active' | 'version' | 'createdAt' | 'updatedAt'
>;

type Writable = Pick<ShownUser, 'name' | 'email' | 'active'>;

/** The attributes that are derived from a user whom no directory has written. */
export const DERIVED = ['userName', 'name', 'emails'];

/** The stored form of a normalized user, without `active`, which is a field of the user. */
export function directoryUser(
  { userName, externalId, active: _active, [ENTERPRISE_URN]: enterprise, ...core }: Resource,
  { name, email }: Pick<User, 'name' | 'email'>,
  derived: string[] = [],
): StoredDirectoryUser {
  return {
    userName: userName as string,
    externalId: (externalId as string | undefined) ?? null,
    attributes: { ...core, ...(enterprise !== undefined && { [ENTERPRISE_URN]: enterprise }) },
    email,
    name,
    derived,
  };
}

/**
 * The writable attributes of a user as SCIM shows them: those of the directory, except where the API has changed a
 * field since. A PATCH applies to them, and a PUT of exactly these changes nothing.
 */
export function writableAttributes(user: Writable, directory: DirectoryUser | null): Resource {
  if (!directory) return withoutDirectory(user);
  const { userName, externalId, attributes } = directory;
  const shown: Resource = {
    userName,
    ...(externalId !== null && { externalId }),
    active: user.active,
    ...attributes,
  };
  if (user.name !== directory.name) {
    shown.displayName = user.name;
    delete shown.name;
  }
  if (user.email !== directory.email)
    shown.emails = withEmail((attributes.emails ?? []) as Complex[], directory.email, user.email);
  return shown;
}

const withoutDirectory = ({ name, email, active }: Writable): Resource => ({
  userName: email,
  active,
  name: nameParts(name),
  emails: [{ value: email, type: 'work', primary: true }],
});

/** Takes the last word for the family name: a guess, until a directory sets the parts. */
function nameParts(name: string): Complex {
  const space = name.lastIndexOf(' ');
  if (space < 1 || space === name.length - 1) return { givenName: name };
  return { givenName: name.slice(0, space), familyName: name.slice(space + 1) };
}

/** The new email replaces the address that the old one came from. Otherwise it becomes the primary email. */
function withEmail(emails: readonly Complex[], old: string, email: string): Complex[] {
  const isOld = ({ value }: Complex) => typeof value === 'string' && value.trim() === old;
  if (emails.some(isOld)) return emails.map((other) => (isOld(other) ? { ...other, value: email } : other));
  const others = emails.map((other) => (other.primary === true ? { ...other, primary: false } : other));
  return [{ value: email, type: 'work', primary: true }, ...others];
}

/** A user as SCIM shows it. `base` is the absolute address of the root of SCIM. */
export function userResource(
  user: ShownUser,
  directory: DirectoryUser | null,
  base: string,
  groups: readonly GroupOfUser[] = [],
) {
  const attributes = writableAttributes(user, directory);
  return {
    schemas: attributes[ENTERPRISE_URN] ? [USER_URN, ENTERPRISE_URN] : [USER_URN],
    id: user.id,
    ...attributes,
    ...(groups.length > 0 && {
      groups: groups.map(({ id, displayName }) => ({
        value: id,
        $ref: `${base}/Groups/${id}`,
        display: displayName,
      })),
    }),
    meta: {
      resourceType: 'User',
      created: user.createdAt.toISOString(),
      lastModified: user.updatedAt.toISOString(),
      location: `${base}/Users/${user.id}`,
      version: weakEntityTag(user.version),
    },
  };
}
