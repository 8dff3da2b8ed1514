import type { DataSource } from 'typeorm';
import { systemCaller } from '../../src/platform/http/caller';
import { newId } from '../../src/platform/database/id';
import { person } from '../../src/entry/demo/people';
import { writeUsers } from '../../src/users/batch/batch-writes';
import { withDefaults } from '../../src/users/user/user.changes';
import type { UserFields } from '../../src/users/user/user.entity';
import { UserLifecycle } from '../../src/users/user/user-lifecycle';

const PER_TRANSACTION = 1_000;

/** Adds the sample people `from` to `from + count - 1`, in the service's own statements but without its checks. */
export async function fillOrganization(
  dataSource: DataSource,
  organizationId: string,
  from: number,
  count: number,
  fields: (n: number) => Partial<UserFields> = () => ({}),
): Promise<void> {
  const by = systemCaller(organizationId, 'service', 'test');
  for (let first = from; first < from + count; first += PER_TRANSACTION) {
    const length = Math.min(PER_TRANSACTION, from + count - first);
    const users = Array.from({ length }, (_, i) => ({
      id: newId('usr'),
      changes: withDefaults({ ...person(first + i), ...fields(first + i) } as UserFields),
    }));
    await dataSource.transaction((manager) => writeUsers(manager, by, users, new UserLifecycle()));
  }
}
