import type { DataSource } from 'typeorm';
import type { Config } from './config';
import { Organization } from '../auth/organization.entity';
import { OrganizationsService } from '../auth/organizations.service';
import { systemCaller } from '../http/caller';
import { Token } from '../tokens/token.entity';
import { newTokenValue } from '../tokens/token-value';
import { IN_STATE, TokensService } from '../tokens/tokens.service';
import { Lanes } from '../database/lanes';

/** The name of the token that a start creates. */
const BOOTSTRAP_NAME = 'Bootstrap';

const IS_ADMIN = `'admin' = ANY (token.scopes)`;

/**
 * Creates an organization and its admin token if the database has never had an admin token, and returns whether it did.
 * The lock lets only one of several replicas do so. Revoked tokens count, so that a restart does not undo a revocation.
 */
function createFirstAdmin(dataSource: DataSource, organizationName: string, value: string): Promise<boolean> {
  return dataSource.transaction(async (manager) => {
    await manager.query(
      `SELECT pg_advisory_xact_lock(hashtextextended('ums:bootstrap:' || current_schema(), 0))`,
    );
    const tokens = manager.getRepository(Token);
    if (await tokens.createQueryBuilder('token').where(IS_ADMIN).getExists()) return false;
    const organization = await new OrganizationsService(manager.getRepository(Organization)).create(
      organizationName,
    );
    await new TokensService(tokens, new Lanes(1)).create(
      systemCaller(organization.id, 'service', 'ums start'),
      { name: BOOTSTRAP_NAME, scopes: ['admin'] },
      value,
    );
    return true;
  });
}

/** What a start reports about access to the service. */
export interface Access {
  /** The oldest organization. */
  organization?: Pick<Organization, 'id' | 'name'>;
  organizations: number;
  /** The value of the admin token, if this start generated one. It is shown only once. */
  token?: string;
  /** Whether there is an active admin token. */
  admins: boolean;
}

/** Creates the first admin token if needed. The result has its value only if the service generated it. */
export async function bootstrap(dataSource: DataSource, config: Config): Promise<Access> {
  // In production standard output is a log, where a token must not be.
  const isTrial = config.databaseUrl === undefined && !config.production;
  const generated = isTrial && !config.bootstrapToken ? newTokenValue() : undefined;
  const value = config.bootstrapToken ?? generated;
  const isCreated =
    value !== undefined && (await createFirstAdmin(dataSource, config.bootstrapOrganization, value));
  const [[organization], organizations] = await dataSource
    .getRepository(Organization)
    .findAndCount({ select: { id: true, name: true }, order: { createdAt: 'ASC', id: 'ASC' }, take: 1 });
  const admins = await dataSource
    .getRepository(Token)
    .createQueryBuilder('token')
    .where(IS_ADMIN)
    .andWhere(IN_STATE.active)
    .getExists();
  return { organization, organizations, token: isCreated ? generated : undefined, admins };
}
