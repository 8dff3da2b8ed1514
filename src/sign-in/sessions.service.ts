import { Injectable } from '@nestjs/common';
import { Organization } from '../organizations/organization.entity';
import { areSuspended } from '../organizations/suspension';
import { Database } from '../platform/database/database';
import { sql } from '../platform/database/sql';
import { systemCaller } from '../platform/http/caller';
import { noSuchOrganization, organizationSuspended } from '../platform/http/fault';
import type { Grant } from '../platform/issuers/claim-rules';
import { type NewToken, TokensService } from '../tokens/tokens.service';
import type { SignedInPerson } from './source/sign-in-source';

const SESSION_HOURS = 8;

/** The tokens of people who have signed in: ordinary ones that end after 8 hours. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly tokens: TokensService,
    private readonly database: Database,
  ) {}

  /** Throws a 403 if all organizations that the person may open are suspended. */
  async requireOpen(organizations: readonly Grant[]): Promise<void> {
    const ids = organizations.map(({ organizationId }) => organizationId);
    if (await areSuspended(this.database, ids)) throw organizationSuspended();
  }

  /** The organizations whose dashboard the person may open. Throws a 404 if none of them exists any more. */
  async choices({ organizations }: SignedInPerson): Promise<Pick<Organization, 'id' | 'name'>[]> {
    const ids = organizations.map(({ organizationId }) => organizationId);
    const found = await this.database.readAll<Organization>(
      sql`SELECT id, name FROM ${Organization} WHERE id = ANY (${ids}) AND NOT suspended ORDER BY name, id`,
    );
    if (found.length === 0) throw noSuchOrganization();
    return found;
  }

  /** The organization with this id, or the only one that the person may open. Null if there are several. */
  choose({ organizations }: SignedInPerson, organizationId?: string): Grant | null {
    if (organizationId === undefined) return organizations.length === 1 ? organizations[0] : null;
    const chosen = organizations.find((organization) => organization.organizationId === organizationId);
    if (!chosen) throw noSuchOrganization();
    return chosen;
  }

  /** Creates the token, and returns its record and its value, which cannot be read again. */
  create(
    { person, tokenName }: SignedInPerson,
    { organizationId, scopes }: Grant,
    requestId: string,
  ): Promise<NewToken> {
    const by = { ...systemCaller(organizationId, 'sign-in', 'sign-in'), requestId };
    const session = { createdBy: person, hours: SESSION_HOURS };
    return this.tokens.createFor(by, { name: tokenName, scopes }, session);
  }
}
