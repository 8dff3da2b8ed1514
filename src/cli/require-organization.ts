import type { DataSource } from 'typeorm';
import { Organization } from '../auth/organization.entity';

/** Throws if the organization does not exist. */
export async function requireOrganization(dataSource: DataSource, id: string): Promise<void> {
  if (!(await dataSource.getRepository(Organization).existsBy({ id }))) {
    throw new Error('There is no such organization. List them with: ums organizations list');
  }
}
