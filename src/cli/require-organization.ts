import type { DataSource } from 'typeorm';
import { Organization } from '../auth/organization.entity';

/** Refuses what was meant for an organization that is not there. */
export async function requireOrganization(dataSource: DataSource, id: string): Promise<void> {
  if (!(await dataSource.getRepository(Organization).existsBy({ id }))) {
    throw new Error('There is no such organization. List them with: ums organizations list');
  }
}
