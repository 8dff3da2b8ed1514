import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { execute, sql } from '../../database/sql';
import type { Caller } from '../../http/caller';
import type { User } from '../../users/user/user.entity';
import { type UserChange, UserLifecycle, type UserSteps } from '../../users/user/user-lifecycle';
import { matchKeys } from './match-keys';
import { findDirectoryUsers, followUser } from './scim-user-rows';
import { ScimUser } from './scim-user.entity';
import { writableAttributes } from './user-resource';

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
  ): Promise<void> {
    const renamed = users.filter(
      ({ before, after }) => before.name !== after.name || before.email !== after.email,
    );
    if (renamed.length === 0) return;
    const byId = new Map(renamed.map(({ after }) => [after.id, after]));
    for (const directory of await findDirectoryUsers(manager, organizationId, [...byId.keys()]))
      await followUser(manager, byId.get(directory.userId)!, directory);
  }

  /** The attributes are kept until the purge, but no filter finds them. */
  async deleted(manager: EntityManager, _by: Caller, { organizationId, id }: User): Promise<void> {
    await execute(
      manager,
      sql`UPDATE ${ScimUser} SET keys = '{}' WHERE organization_id = ${organizationId} AND user_id = ${id}`,
    );
  }

  async restored(manager: EntityManager, _by: Caller, user: User): Promise<void> {
    const { organizationId, id } = user;
    const [directory] = await findDirectoryUsers(manager, organizationId, [id]);
    if (!directory) return;
    const keys = matchKeys(writableAttributes(user, directory));
    await execute(
      manager,
      sql`UPDATE ${ScimUser} SET keys = ${keys} WHERE organization_id = ${organizationId} AND user_id = ${id}`,
    );
    await followUser(manager, user, directory);
  }
}
