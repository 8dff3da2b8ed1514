import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../platform/database/database';
import { retry, upTo } from '../../platform/database/retry';
import type { Caller } from '../../platform/http/caller';
import type { Precondition } from '../../platform/http/input/entity-tags';
import { validateOrThrow } from '../../platform/http/input/validate';
import { EMAIL_TAKEN, isTaken, USER_NAME_TAKEN } from '../../users/user/unique-fields';
import { isSame } from '../../users/user/user.changes';
import { UpdateUserDto } from '../../users/user/user.dto';
import type { User } from '../../users/user/user.entity';
import { emailKey } from '../../users/user/user.keys';
import { UsersService } from '../../users/users.service';
import type { Resource } from '../schema/resource';
import { uniqueness } from '../schema/scim-error';
import { chooseEmail, createdUser, inputOf, patchedUser, replacedUser } from './user-fields';
import { previousAttributes } from './scim-directory-attributes';
import { DERIVED, directoryUser, writableAttributes } from './user-resource';
import {
  findDirectoryUsers,
  type FoundUser,
  putDirectoryUser,
  takenEmails,
  userNameKey,
} from './scim-user-rows';

/** Writes users for directories, through the service that the API uses. */
@Injectable()
export class ScimUsersService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersService,
  ) {}

  create(by: Caller, body: unknown): Promise<FoundUser> {
    const resource = createdUser(body);
    const { emails = [], name = '', role, active } = inputOf(resource);
    const key = userNameKey(resource.userName as string);
    return withFreeAddress(async () => {
      const email = await this.database.read(by.organizationId, (manager) =>
        freeEmail(manager, by.organizationId, emails),
      );
      const user = await this.users.create(
        by,
        { name, email, ...(role && { role }), ...(active !== undefined && { active }) },
        {
          userNameKey: key,
          write: (manager, user) => putDirectoryUser(manager, user, directoryUser(resource, user)),
        },
      );
      return { user, directory: directoryUser(resource, user), groups: [] };
    });
  }

  replace(by: Caller, id: string, body: unknown, precondition: Precondition): Promise<FoundUser> {
    return this.change(
      by,
      id,
      precondition,
      (old) => replacedUser(old, body),
      () => [],
    );
  }

  patch(by: Caller, id: string, body: unknown, precondition: Precondition): Promise<FoundUser> {
    return this.change(by, id, precondition, (old) => patchedUser(old, body), stillDerived);
  }

  /** Writes the attributes that `write` makes of the old ones. `derivedOf` says which of them no directory has set. */
  private change(
    by: Caller,
    id: string,
    precondition: Precondition,
    write: (old: Resource) => Resource | Promise<Resource>,
    derivedOf: typeof stillDerived,
  ): Promise<FoundUser> {
    return withFreeAddress(async () => {
      let directory: FoundUser['directory'] = null;
      const user = await this.users.change(by, id, async (user, manager) => {
        precondition(user.version);
        const [stored = null] = await findDirectoryUsers(manager, by.organizationId, [id]);
        directory = stored;
        const old = writableAttributes(user, stored);
        const resource = await write(old);
        if (isSame(resource, old)) return { fields: {} };
        const fields = await changedFields(manager, user, resource, old);
        const derived = derivedOf(stored?.derived ?? DERIVED, resource, old);
        const written = directoryUser(resource, { ...user, ...fields }, derived);
        directory = written;
        // A change of `active` alone, the most frequent one, writes no second row: it is a field of the user.
        if (!isSame({ ...written, userId: id, organizationId: user.organizationId }, stored))
          await putDirectoryUser(manager, { ...user, ...fields }, written);
        return {
          fields,
          isTouched: true,
          previous: previousAttributes(stored, written),
          userNameKey: userNameKey(resource.userName as string),
        };
      });
      return { user, directory };
    });
  }

  delete(by: Caller, id: string, precondition: Precondition): Promise<void> {
    return this.users.delete(by, id, precondition);
  }
}

/** The derived attributes that a write has left as they were. */
const stillDerived = (derived: readonly string[], resource: Resource, old: Resource): string[] =>
  derived.filter((name) => isSame(resource[name] ?? null, old[name] ?? null));

/** The fields of the user that change. */
async function changedFields(
  manager: EntityManager,
  user: User,
  resource: Resource,
  old: Resource,
): Promise<UpdateUserDto> {
  const { emails, ...fields } = inputOf(resource, old);
  const email = emails && (await freeEmail(manager, user.organizationId, emails, user));
  return validateOrThrow(UpdateUserDto, { ...fields, ...(email !== undefined && { email }) });
}

/** The first candidate that no other user has, or the current email if there are no candidates. */
async function freeEmail(
  manager: EntityManager,
  organizationId: string,
  emails: readonly string[],
  user?: User,
): Promise<string> {
  const taken = await takenEmails(manager, organizationId, emails, user?.id);
  return chooseEmail(emails, (email) => !taken.has(emailKey(email)), user?.email);
}

/** Attempts at a free address before the service gives up. */
const MAX_ATTEMPTS = 5;

/** If another user has taken the address meanwhile, the next attempt chooses another one. */
const withFreeAddress = <Result>(run: () => Promise<Result>): Promise<Result> =>
  retry(run, (error) => isTaken(error, EMAIL_TAKEN), upTo(MAX_ATTEMPTS)).catch((error) => {
    if (isTaken(error, USER_NAME_TAKEN)) throw uniqueness('Another user has this userName');
    throw isTaken(error, EMAIL_TAKEN) ? uniqueness('Other users keep taking the addresses') : error;
  });
