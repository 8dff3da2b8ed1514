import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { anyOf, executeWithNext, sql } from '../../platform/database/sql';
import type { Caller } from '../../platform/http/caller';
import {
  type Previous,
  type RestoredUser,
  type UserChange,
  UserLifecycle,
  type UserSteps,
} from '../../users/user/user-lifecycle';
import { previousAttributes } from './scim-directory-attributes';
import { findDirectoryUsers, followUser } from './scim-user-rows';
import { ScimUser } from './scim-user.entity';

/** Keeps the directory's attributes consistent with the users, whoever changes the users. */
@Injectable()
export class ScimUserSteps implements UserSteps {
  constructor(lifecycle: UserLifecycle) {
    lifecycle.add(this);
  }

  async changed(
    manager: EntityManager,
    { organizationId }: Caller,
    users: readonly Required<UserChange>[],
  ): Promise<Previous> {
    const previous = new Map<string, object>();
    const renamed = users.filter(
      ({ before, after }) => before.name !== after.name || before.email !== after.email,
    );
    if (renamed.length === 0) return previous;
    const byId = new Map(renamed.map(({ after }) => [after.id, after]));
    for (const old of await findDirectoryUsers(manager, organizationId, [...byId.keys()])) {
      const user = byId.get(old.userId)!;
      // They are the same after a change by the directory itself.
      if (user.name === old.name && user.email === old.email) continue;
      previous.set(user.id, previousAttributes(old, await followUser(manager, user, old)));
    }
    return previous;
  }

  /** The attributes are kept until the purge, but no filter finds them. */
  async deleted(manager: EntityManager, { organizationId }: Caller, ids: readonly string[]): Promise<void> {
    await executeWithNext(
      manager,
      sql`UPDATE ${ScimUser} SET keys = '{}' WHERE organization_id = ${organizationId} AND user_id = ${anyOf(ids, 'text')}`,
    );
  }

  async restored(
    manager: EntityManager,
    { organizationId }: Caller,
    users: readonly RestoredUser[],
  ): Promise<void> {
    const byId = new Map(users.map((user) => [user.id, user]));
    for (const directory of await findDirectoryUsers(manager, organizationId, [...byId.keys()]))
      await followUser(manager, byId.get(directory.userId)!, directory);
  }
}
