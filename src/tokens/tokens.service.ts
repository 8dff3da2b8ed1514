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
import { notFound } from '../http/fault';
import { judgeOrThrow } from '../http/input/judge';
import { isId, newId } from '../database/id';
import { daysOf } from './expires-in';
import { Token, TOKEN_COLUMNS } from './token.entity';
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
    const { organizationId } = callerOf(by);
    const { name, scopes, expiresIn } = judgeOrThrow(CreateTokenDto, input);
    const days = expiresIn === undefined ? null : daysOf(expiresIn);
    const token = {
      id: newId('tok'),
      organizationId,
      name,
      hint: hintOf(value),
      scopes,
      expiresIn: expiresIn ?? null,
    };
    const insert = this.tokens
      .createQueryBuilder()
      .insert()
      .values({
        ...token,
        hash: hashOf(value),
        // On the database's clock, and in hours, because a day of its time zone can have 23 hours.
        expiresAt: days === null ? null : () => `now() + ${days} * interval '24 hours'`,
      })
      .returning('created_at AS "createdAt", expires_at AS "expiresAt"');
    const { raw } = await this.lanes
      .run('quick', organizationId, () => insert.execute())
      .catch((error: unknown) => {
        if (!violates(error, 'tokens_organization_id_fkey')) throw error;
        throw notFound('There is no such organization.');
      });
    const times = { ...raw[0], lastUsedAt: null, revokedAt: null, expired: false };
    return { token: recordOf({ ...token, ...times }), value };
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
    const { organizationId } = callerOf(by);
    if (!isId('tok', id)) throw noSuchToken();
    const update = this.tokens
      .createQueryBuilder()
      .update({ revokedAt: () => 'least(revoked_at, now())' }) // a cluster refuses now() in COALESCE
      .where({ organizationId, id });
    const { affected } = await this.lanes.run('quick', organizationId, () => update.execute());
    if (!affected) throw noSuchToken();
  }
}

const noSuchToken = () => notFound('There is no such token.');
