import type { INestApplicationContext } from '@nestjs/common';
import { systemCaller } from '../../platform/http/caller';
import { BatchService } from '../../users/batch/batch.service';
import { UsersService } from '../../users/users.service';
import { person } from './people';

/** The number of users that `npm start -- --demo` adds. */
const DEMO_USERS = 500;

/** Adds the sample users, all of them or none, unless the organization already has users. Returns how many it added. */
export async function seedDemo(app: INestApplicationContext, organizationId: string): Promise<number> {
  const { data } = await app.get(UsersService).list(organizationId, { limit: 1 });
  if (data.length > 0) return 0;
  const users = Array.from({ length: DEMO_USERS }, (_, n) => person(n));
  const by = systemCaller(organizationId, 'service', 'ums start --demo');
  const batch = { users, mode: 'create', atomic: true, dryRun: false } as const;
  const { answer } = await app.get(BatchService).run(by, batch);
  return answer.counts.created;
}
