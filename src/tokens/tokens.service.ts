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
import type { EventType } from '../events/event.types';
import { recordTokenEvent } from '../events/token-events';
import { type By, type Caller, callerOf } from '../http/caller';
import { notFound } from '../http/fault';
import { judgeOrThrow } from '../http/input/judge';
import { isId, newId } from '../database/id';
import { daysOf } from './expires-in';
import { STORED_COLUMNS, Token, TOKEN_COLUMNS, tokenJson } from './token.entity';
import { recordOf, type TokenRecord } from './token.record';
import { hashOf, hintOf, newTokenValue } from './token-value';
import { CreateTokenDto, ListTokensDto, type TokenState } from './tokens.dto';

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

@Injectable()
export class TokensService {
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
  async create(
    by: By,
    input: CreateTokenDto,
    value = newTokenValue(),
  ): Promise<{ token: TokenRecord; value: string }> {
    const caller = callerOf(by);
    const { organizationId } = caller;
    const { name, scopes, expiresIn = null } = judgeOrThrow(CreateTokenDto, input);
    const days = expiresIn === null ? null : daysOf(expiresIn);
    // On the database's clock, and in hours, because a day of its time zone can have 23 hours.
    const insert = `
      INSERT INTO ${this.table()} (id, organization_id, name, hint, scopes, expires_in, hash, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, now() + $8 * interval '24 hours') RETURNING *`;
    const id = newId('tok');
    const values = [id, organizationId, name, hintOf(value), scopes, expiresIn, hashOf(value), days];
    const run = () => this.change(caller, 'token.created', 'active', insert, values);
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
    const update = `
      UPDATE ${this.table()} SET revoked_at = now()
      WHERE organization_id = $1 AND id = $2 AND revoked_at IS NULL RETURNING *`;
    const run = () => this.change(caller, 'token.revoked', 'revoked', update, [organizationId, id]);
    const revoked = isId('tok', id) ? await this.lanes.run('quick', organizationId, run) : [];
    if (revoked.length === 0) await this.get(by, id); // throws unless it was revoked before
  }

  /** Changes a token by a statement that returns it, and records that with it. */
  private change(
    by: Caller,
    type: EventType,
    state: 'active' | 'revoked',
    sql: string,
    values: unknown[],
  ): Promise<Changed[]> {
    const { manager } = this.tokens;
    const data = `json_build_object('token', ${tokenJson(state)})`;
    const recorded = recordTokenEvent(manager.dataSource, values, { by, type, data });
    return manager.query(
      `WITH changed AS (${sql}), ${recorded} SELECT ${STORED_COLUMNS}, false AS expired FROM changed`,
      values,
    );
  }

  private table(): string {
    return tableName(this.tokens.manager.dataSource, 'tokens');
  }
}

type Changed = Omit<Token, 'organizationId' | 'hash'>;

const noSuchToken = () => notFound('There is no such token.');
