import type { DataSource } from 'typeorm';
import { systemCaller } from '../http/caller';
import { User } from '../users/user.entity';
import { batchServiceOn } from '../users/batch/batch-service-on';
import { person } from './people';

/** The number of users that `npm start -- --demo` adds. */
const DEMO_USERS = 500;

/** Adds the sample users, all of them or none, unless the organization already has users. Returns how many it added. */
export async function seedDemo(dataSource: DataSource, organizationId: string): Promise<number> {
  if (await dataSource.getRepository(User).existsBy({ organizationId })) return 0;
  const people = Array.from({ length: DEMO_USERS }, (_, n) => person(n));
  const by = systemCaller(organizationId, 'service', 'ums start --demo');
  const { answer } = await batchServiceOn(dataSource).run(by, {
    users: people,
    mode: 'create',
    atomic: true,
    dryRun: false,
  });
  return answer.counts.created;
}
