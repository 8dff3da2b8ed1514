import type { DataSource } from 'typeorm';
import { KEY_FIELDS, keyOf } from '../../src/users/batch/batch-rules';
import { findUsers } from '../../src/users/batch/batch-writes';
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
  const statements: Record<string, Statement[]> = {};
  for (const by of KEY_FIELDS) {
    const rows = people.map((fields) => ({
      row: fields,
      fields,
      key: fields[by] ? keyOf(fields[by], by) : undefined,
    }));
    for (const isLocked of [false, true])
      statements[`find users by ${by}${isLocked ? ', locked' : ''}`] = await selectsOf(dataSource, () =>
        findUsers(manager, organizationId, rows, by, { isLocked }),
      );
  }
  return statements;
}
