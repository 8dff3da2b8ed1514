import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { DATABASE } from '../database/data-source';
import { violates } from '../database/errors';
import { joinTransaction, NO_LANES } from '../database/join-transaction';
import { Lanes } from '../database/lanes';
import { retryBroken } from '../database/retry';
import { tableName } from '../database/tables';
import { type Page, paginate, type SortColumn } from '../pages/paginate';
import { type By, callerOf } from '../http/caller';
import { conflict, notFound } from '../http/fault';
import { judgeOrThrow } from '../http/input/judge';
import { isId, newId } from '../database/id';
import { changeToken } from './change-token';
import { daysOf } from './expires-in';
import { hoursOf } from './overlap';
import { Token, TOKEN_COLUMNS } from './token.entity';
import { recordOf, type TokenRecord } from './token.record';
import { hashOf, hintOf, newTokenValue } from './token-value';
import { CreateTokenDto, ListTokensDto, RotateTokenDto, type TokenState } from './tokens.dto';

const NEWEST_FIRST: SortColumn[] = [
  { column: 'created_at', property: 'createdAt', type: 'time' },
  { column: 'id', property: 'id', type: 'text' },
];

/** The SQL condition for each state of a token. */
export const IN_STATE: Record<TokenState, string> = {
  revoked: 'revoked_at IS NOT NULL',
  expired: 'revoked_at IS NULL AND expires_at <= now()',
  active: 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())',
};

/** A new token and its value, which is not stored. */
interface NewToken {
  token: TokenRecord;
  value: string;
}

@Injectable()
export class TokensService {
  /** @internal Nest constructs it. */
  constructor(
    @InjectRepository(Token, DATABASE) private readonly tokens: Repository<Token>,
    private readonly lanes: Lanes,
  ) {}

  /** The same service in an open transaction of the application, with the promises of `UsersService.within()`. */
  within(manager: EntityManager): TokensService {
    const joined = joinTransaction(this.tokens.manager.dataSource, manager);
    return new TokensService(joined.getRepository(Token), NO_LANES);
  }

  async list(by: By, input: Partial<ListTokensDto> = {}): Promise<Page<TokenRecord>> {
    const { organizationId } = callerOf(by);
    const { state, limit, cursor } = judgeOrThrow(ListTokensDto, input);
    const page = {
      select: `SELECT ${TOKEN_COLUMNS} FROM ${tableName(this.tokens.manager.dataSource, 'tokens')}
               WHERE organization_id = $1 ${state ? `AND ${IN_STATE[state]}` : ''}`,
      values: [organizationId],
      columns: NEWEST_FIRST,
      order: 'desc' as const,
      limit,
      cursor,
      list: ['tokens', organizationId, state],
    };
    const read = () => paginate<Token>(this.tokens, page);
    const { data, nextCursor } = await this.lanes.run('quick', organizationId, read);
    return { data: data.map(recordOf), nextCursor };
  }

  /** Returns the new token and its value, which cannot be read again. */
  async create(by: By, input: CreateTokenDto, value = newTokenValue()): Promise<NewToken> {
    const caller = callerOf(by);
    const { organizationId } = caller;
    const { name, scopes, expiresIn = null } = judgeOrThrow(CreateTokenDto, input);
    const days = expiresIn === null ? null : daysOf(expiresIn);
    // On the database's clock, and in hours, because a day of its time zone can have 23 hours.
    const steps = `changed AS (
      INSERT INTO ${this.table()} (id, organization_id, name, hint, scopes, expires_in, hash, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, now() + $8 * interval '24 hours') RETURNING *)`;
    const values = [
      newId('tok'),
      organizationId,
      name,
      hintOf(value),
      scopes,
      expiresIn,
      hashOf(value),
      days,
    ];
    const change = { by: caller, type: 'token.created', state: 'active', steps, values } as const;
    const run = () => changeToken(this.tokens.manager, change);
    const [token] = await this.lanes.run('quick', organizationId, run).catch((error: unknown) => {
      if (!violates(error, 'tokens_organization_id_fkey')) throw error;
      throw notFound('There is no such organization.');
    });
    return { token: recordOf(token), value };
  }

  async get(by: By, id: string): Promise<TokenRecord> {
    const { organizationId } = callerOf(by);
    const read = () => retryBroken(() => this.tokens.findOneBy({ organizationId, id }));
    const token = isId('tok', id) ? await this.lanes.run('quick', organizationId, read) : null;
    if (!token) throw noSuchToken();
    return recordOf(token);
  }

  /** Revokes a token, effective immediately. Revoking twice succeeds. */
  async revoke(by: By, id: string): Promise<void> {
    const caller = callerOf(by);
    const { organizationId } = caller;
    const steps = `changed AS (
      UPDATE ${this.table()} SET revoked_at = now()
      WHERE organization_id = $1 AND id = $2 AND revoked_at IS NULL RETURNING *)`;
    const values = [organizationId, id];
    const change = { by: caller, type: 'token.revoked', state: 'revoked', steps, values } as const;
    const run = () => changeToken(this.tokens.manager, change);
    const revoked = isId('tok', id) ? await this.lanes.run('quick', organizationId, run) : [];
    if (revoked.length === 0) await this.get(by, id); // throws unless it was revoked before
  }

  /**
   * Replaces a token: returns a new one with the same name and scopes, and its value, which cannot be read again. The old one keeps
   * working for the overlap, but never longer than it would have. Throws a 409 unless it is active.
   */
  async rotate(by: By, id: string, input: Partial<RotateTokenDto> = {}): Promise<NewToken> {
    const caller = callerOf(by);
    const { organizationId } = caller;
    const { overlap, expiresIn = null } = judgeOrThrow(RotateTokenDto, input);
    const value = newTokenValue();
    // One statement: of two rotations at once, the second one sees what the first has made of the old token.
    const hours = hoursOf(overlap);
    const end = `now() + $3::integer * interval '1 hour'`;
    const revocation = hours === 0 ? ', revoked_at = now()' : ''; // a cluster refuses the clock in CASE
    const steps = `
      old AS (
        UPDATE ${this.table()}
        SET expires_at = least(expires_at, ${end}),
          warned_days = least(warned_days, nullif((expires_at > ${end})::integer, 0))${revocation} -- no warning if this sets the end
        WHERE organization_id = $1 AND id = $2 AND ${IN_STATE.active} RETURNING *
      ),
      changed AS (
        INSERT INTO ${this.table()} (id, organization_id, name, hint, scopes, expires_in, hash, expires_at, rotated_from)
        SELECT $4, organization_id, name, $5, scopes, term, $6, now() + rtrim(term, 'd')::integer * interval '24 hours', id
        FROM (SELECT *, coalesce($7, expires_in) AS term FROM old) AS old RETURNING *
      )`;
    const values = [organizationId, id, hours, newId('tok'), hintOf(value), hashOf(value), expiresIn];
    const event = { by: caller, type: 'token.rotated', state: 'active', target: 'rotated_from' } as const;
    const run = () => changeToken(this.tokens.manager, { ...event, steps, values });
    const [token] = isId('tok', id) ? await this.lanes.run('quick', organizationId, run) : [];
    if (token) return { token: recordOf(token), value };
    const { state } = await this.get(by, id);
    throw conflict(`Only an active token can be rotated; this one is ${state}.`);
  }

  private table(): string {
    return tableName(this.tokens.manager.dataSource, 'tokens');
  }
}

const noSuchToken = () => notFound('There is no such token.');
