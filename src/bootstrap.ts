import type { DataSource, Repository } from 'typeorm';
import { Organization } from './organizations/organization.entity';
import { OrganizationsService } from './organizations/organizations.service';
import { Token } from './tokens/token.entity';
import { TokensService } from './tokens/tokens.service';

/** The name of a token that a start makes, by which people tell it from those they made. */
const BOOTSTRAP_NAME = 'Bootstrap';

/**
 * On a database that never had an admin token, makes an organization and this one; returns whether it did. Of replicas
 * that start together one does. A revoked token counts: a restart must not bring back what somebody took away.
 */
export function bootstrap(dataSource: DataSource, organizationName: string, value: string): Promise<boolean> {
  return dataSource.transaction(async (manager) => {
    await manager.query(
      `SELECT pg_advisory_xact_lock(hashtextextended('ums:bootstrap:' || current_schema(), 0))`,
    );
    const tokens = manager.getRepository(Token);
    if (await hasAdminToken(tokens)) return false;
    const organization = await new OrganizationsService(manager.getRepository(Organization)).create(
      organizationName,
    );
    await new TokensService(tokens).create(
      organization.id,
      { name: BOOTSTRAP_NAME, scopes: ['admin'] },
      value,
    );
    return true;
  });
}

/** Whether there is, or ever was, a token that may make others. */
export const hasAdminToken = (tokens: Repository<Token>): Promise<boolean> =>
  tokens.createQueryBuilder('token').where(`'admin' = ANY (token.scopes)`).getExists();
