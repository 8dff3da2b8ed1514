import type { DataSource } from 'typeorm';
import type { Config } from './config';
import { Organization } from '../auth/organization.entity';
import { OrganizationsService } from '../auth/organizations.service';
import { systemCaller } from '../http/caller';
import { Token } from '../tokens/token.entity';
import { newTokenValue } from '../tokens/token-value';
import { IN_STATE, TokensService } from '../tokens/tokens.service';

/** The name of a token that a start makes, by which people tell it from those they made. */
const BOOTSTRAP_NAME = 'Bootstrap';

const IS_ADMIN = `'admin' = ANY (token.scopes)`;

/**
 * On a database that never had an admin token, makes an organization and this one; returns whether it did. Of replicas
 * that start together one does. A revoked token counts: a restart must not bring back what somebody took away.
 */
function bootstrap(dataSource: DataSource, organizationName: string, value: string): Promise<boolean> {
  return dataSource.transaction(async (manager) => {
    await manager.query(
      `SELECT pg_advisory_xact_lock(hashtextextended('ums:bootstrap:' || current_schema(), 0))`,
    );
    const tokens = manager.getRepository(Token);
    if (await tokens.createQueryBuilder('token').where(IS_ADMIN).getExists()) return false;
    const organization = await new OrganizationsService(manager.getRepository(Organization)).create(
      organizationName,
    );
    await new TokensService(tokens).create(
      systemCaller(organization.id, 'service', 'ums start'),
      { name: BOOTSTRAP_NAME, scopes: ['admin'] },
      value,
    );
    return true;
  });
}

/** How a person gets into the service. */
export interface WayIn {
  /** The oldest. */
  organization?: Pick<Organization, 'id' | 'name'>;
  organizations: number;
  /** The value of an admin token that this start has made up; shown this once. */
  token?: string;
  /** Whether any admin token is valid now. */
  admins: boolean;
}

/** Bootstraps, and says how to get in. Only a token that the service made up itself is told. */
export async function wayIn(dataSource: DataSource, config: Config): Promise<WayIn> {
  const madeUp = config.databaseUrl === undefined && !config.bootstrapToken ? newTokenValue() : undefined;
  const value = config.bootstrapToken ?? madeUp;
  const made = value !== undefined && (await bootstrap(dataSource, config.bootstrapOrganization, value));
  const [[organization], organizations] = await dataSource
    .getRepository(Organization)
    .findAndCount({ select: { id: true, name: true }, order: { createdAt: 'ASC', id: 'ASC' }, take: 1 });
  const admins = await dataSource
    .getRepository(Token)
    .createQueryBuilder('token')
    .where(IS_ADMIN)
    .andWhere(IN_STATE.active)
    .getExists();
  return { organization, organizations, token: made ? madeUp : undefined, admins };
}
