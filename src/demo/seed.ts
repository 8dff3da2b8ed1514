import type { DataSource } from 'typeorm';
import { systemCaller } from '../http/caller';
import { User } from '../users/user.entity';
import { UserImport } from '../users/import/user-import';
import { person } from './people';

/** As many as `npm start -- --demo` shows. */
export const DEMO_USERS = 500;

/** Fills an organization with people, all of them or none, unless it has some. */
export async function seedDemo(dataSource: DataSource, organizationId: string): Promise<void> {
  if (await dataSource.getRepository(User).existsBy({ organizationId })) return;
  const people = Array.from({ length: DEMO_USERS }, (_, n) => person(n));
  await new UserImport(dataSource, systemCaller(organizationId, 'service', 'ums start --demo'), false).add(
    people,
  );
}
