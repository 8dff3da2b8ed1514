import type { INestApplicationContext } from '@nestjs/common';
import type { Config } from './config';
import { Organization } from '../../organizations/organization.entity';
import { OrganizationsService } from '../../organizations/organizations.service';
import { Database } from '../../platform/database/database';
import { query, sql } from '../../platform/database/sql';
import { systemCaller } from '../../platform/http/caller';
import type { ClaimRule } from '../../platform/issuers/claim-rules';
import { IN_STATE, Token } from '../../tokens/token/token.entity';
import { newTokenValue } from '../../tokens/token/token-value';
import { TokensService } from '../../tokens/tokens.service';

/** The name of the token that a start creates. */
const BOOTSTRAP_NAME = 'Bootstrap';

const ADMIN_SQL = sql`'admin' = ANY (scopes)`;

/**
 * Creates an organization and its admin token if the database has never had an admin token, and returns whether it did.
 * The lock lets only one of several replicas do so. Revoked tokens count, so that a restart does not undo a revocation.
 */
function createFirstAdmin(app: INestApplicationContext, name: string, value: string): Promise<boolean> {
  return app.get(Database).writeAll(async (manager) => {
    await manager.query(
      `SELECT pg_advisory_xact_lock(hashtextextended('ums:bootstrap:' || current_schema(), 0))`,
    );
    const [admin] = await query(manager, sql`SELECT id FROM ${Token} WHERE ${ADMIN_SQL} LIMIT 1`);
    if (admin) return false;
    const organization = await app.get(OrganizationsService).within(manager).create(name);
    const by = systemCaller(organization.id, 'service', 'ums start');
    await app
      .get(TokensService)
      .within(manager)
      .createFirst(by, { name: BOOTSTRAP_NAME, scopes: ['admin'] }, value);
    return true;
  });
}

/** The report of a start about access to the service. */
export interface AccessReport {
  /** The oldest organization. */
  organization?: Pick<Organization, 'id' | 'name'>;
  organizations: number;
  /** The value of the admin token, if this start generated one. It is shown only once. */
  token?: string;
  /** Whether somebody has the scope `admin`, by an active token or a rule of an issuer, or the operator can give it. */
  admins: boolean;
}

/** Creates the first admin token if needed. The result has its value only if the service generated it. */
export async function bootstrap(
  app: INestApplicationContext,
  config: Config,
  rules: readonly ClaimRule[],
): Promise<AccessReport> {
  // In production standard output is a log, where a token must not be.
  const isTrial = config.databaseUrl === undefined && !config.production;
  const generated = isTrial && !config.bootstrapToken ? newTokenValue() : undefined;
  const value = config.bootstrapToken ?? generated;
  const isCreated = value !== undefined && (await createFirstAdmin(app, config.bootstrapOrganization, value));
  const database = app.get(Database);
  const [organization] = await database.readAll<Pick<Organization, 'id' | 'name'>>(
    sql`SELECT id, name FROM ${Organization} ORDER BY created_at, id LIMIT 1`,
  );
  const [{ organizations }] = await database.readAll<{ organizations: number }>(
    sql`SELECT count(*)::integer AS organizations FROM ${Organization}`,
  );
  const [admin] = await database.readAll(
    sql`SELECT id FROM ${Token} WHERE ${ADMIN_SQL} AND ${IN_STATE.active} LIMIT 1`,
  );
  const canSignIn = rules.some(({ scopes }) => scopes.includes('admin'));
  const admins = admin !== undefined || canSignIn || config.operatorTokens !== undefined;
  return { organization, organizations, token: isCreated ? generated : undefined, admins };
}
