import type { DataSource } from 'typeorm';
import { KEY_FIELDS, keyOf } from '../../src/users/batch/batch-rules';
import { findOwners, findUsers, findUsersLocked } from '../../src/users/batch/batch-writes';
import type { UserView } from '../../src/users/user/user.view';
import { selectsOf } from './plans';
import type { Statement } from './statements';

/** The statements with which a batch finds these users, by each field that identifies them. */
export async function batchStatements(
  dataSource: DataSource,
  organizationId: string,
  people: UserView[],
): Promise<Record<string, Statement[]>> {
  const { manager } = dataSource;
  const rows = people.map((fields) => ({ row: fields, fields }));
  const statements: Record<string, Statement[]> = {};
  for (const by of KEY_FIELDS) {
    const keys = people.flatMap((user) => user[by] ?? []).map((value) => keyOf(value, by));
    for (const find of [findUsers, findUsersLocked])
      statements[`${find.name} ${by}`] = await selectsOf(dataSource, () =>
        find(manager, organizationId, keys, by),
      );
    statements[`findOwners ${by}`] = await selectsOf(dataSource, () =>
      findOwners(manager, organizationId, rows, by),
    );
  }
  return statements;
}
