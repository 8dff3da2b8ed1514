import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../database/database';
import { violates } from '../database/errors';
import { findLocked } from '../database/find-locked';
import { isId, newId } from '../database/id';
import { query, sql } from '../database/sql';
import { recordTokenEvent } from '../events/record-events';
import { type By, type Caller, callerOf } from '../http/caller';
import { conflict, notFound } from '../http/fault';
import { validateOrThrow } from '../http/input/validate';
import { type Page, paginate, type SortColumn } from '../pages/paginate';
import { daysOf } from './expires-in';
import { hoursOf } from './overlap';
import { IN_STATE, Token, TOKEN_COLUMNS } from './token.entity';
import { serializeToken, type TokenRecord } from './token.serializer';
import { hashOf, hintOf, newTokenValue } from './token-value';
import { CreateTokenDto, ListTokensDto, RotateTokenDto } from './tokens.dto';
import { updateToken } from './update-token';

const NEWEST_FIRST: SortColumn[] = [
  { column: 'created_at', property: 'createdAt', type: 'time' },
  { column: 'id', property: 'id', type: 'text' },
];

/** A new token and its value, which is not stored. */
interface NewToken {
  token: TokenRecord;
  value: string;
}

@Injectable()
export class TokensService {
  /** @internal Nest constructs it. */
  constructor(private readonly database: Database) {}

  /** The same service in an open transaction of the application, with the promises of `UsersService.within()`. */
  within(manager: EntityManager): TokensService {
    return new TokensService(this.database.within(manager));
  }

  async list(by: By, input: Partial<ListTokensDto> = {}): Promise<Page<TokenRecord>> {
    const { organizationId } = callerOf(by);
    const { state, limit, cursor } = validateOrThrow(ListTokensDto, input);
    const page = {
      select: sql`SELECT ${TOKEN_COLUMNS} FROM ${Token}
        WHERE organization_id = ${organizationId} ${state ? sql`AND ${IN_STATE[state]}` : sql``}`,
      columns: NEWEST_FIRST,
      order: 'desc' as const,
      limit,
      cursor,
      list: ['tokens', organizationId, state],
    };
    const { data, nextCursor } = await this.database.read(organizationId, (manager) =>
      paginate<Token>(manager, page),
    );
    return { data: data.map(serializeToken), nextCursor };
  }

  /** Returns the new token and its value, which cannot be read again. */
  async create(by: By, input: CreateTokenDto, value = newTokenValue()): Promise<NewToken> {
    const caller = callerOf(by);
    const fields = validateOrThrow(CreateTokenDto, input);
    const token = await this.database
      .write(
        caller.organizationId,
        async (manager) => {
          const token = await insertToken(manager, caller, fields, value);
          const data = { token: serializeToken(token) };
          await recordTokenEvent(manager, { by: caller, type: 'token.created', targetId: token.id, data });
          return token;
        },
        'quick',
      )
      .catch((error: unknown) => {
        if (!violates(error, 'tokens_organization_id_fkey')) throw error;
        throw notFound('There is no such organization.');
      });
    return { token: serializeToken(token), value };
  }

  async get(by: By, id: string): Promise<TokenRecord> {
    const { organizationId } = callerOf(by);
    const token = isId('tok', id)
      ? await this.database.read(organizationId, (manager) =>
          manager.findOneBy(Token, { organizationId, id }),
        )
      : null;
    if (!token) throw tokenNotFound();
    return serializeToken(token);
  }

  /** Revokes a token, effective immediately. Revoking twice succeeds. */
  async revoke(by: By, id: string): Promise<void> {
    const caller = callerOf(by);
    const { organizationId } = caller;
    const revocation = sql`SET revoked_at = now()
      WHERE organization_id = ${organizationId} AND id = ${id} AND revoked_at IS NULL`;
    const revoked =
      isId('tok', id) &&
      (await this.database.write(
        organizationId,
        (manager) => updateToken(manager, { by: caller, type: 'token.revoked', update: revocation }),
        'quick',
      ));
    if (!revoked) await this.get(by, id); // throws unless it was revoked before
  }

  /**
   * Replaces a token: returns a new one with the same name and scopes, and its value, which cannot be read again. The old one keeps
   * working for the overlap, but never longer than it would have. Throws a 409 unless it is active.
   */
  async rotate(by: By, id: string, input: Partial<RotateTokenDto> = {}): Promise<NewToken> {
    const caller = callerOf(by);
    const { organizationId } = caller;
    const { overlap, expiresIn } = validateOrThrow(RotateTokenDto, input);
    if (!isId('tok', id)) throw tokenNotFound();
    const value = newTokenValue();
    const token = await this.database.write(
      organizationId,
      async (manager) => {
        const old = await findLocked(manager, Token, { organizationId, id });
        if (!old) throw tokenNotFound();
        const { state } = serializeToken(old);
        if (state !== 'active') throw conflict(`Only an active token can be rotated; this one is ${state}.`);
        await endToken(manager, old, hoursOf(overlap));
        const { name, scopes } = old;
        const fields = { name, scopes, expiresIn: expiresIn ?? old.expiresIn ?? undefined };
        const token = await insertToken(manager, caller, fields, value, id);
        const data = { token: serializeToken(token) };
        await recordTokenEvent(manager, { by: caller, type: 'token.rotated', targetId: id, data });
        return token;
      },
      'quick',
    );
    return { token: serializeToken(token), value };
  }
}

async function insertToken(
  manager: EntityManager,
  { organizationId }: Caller,
  { name, scopes, expiresIn = null }: Pick<CreateTokenDto, 'name' | 'scopes'> & { expiresIn?: string | null },
  value: string,
  rotatedFrom: string | null = null,
): Promise<Token> {
  const days = expiresIn === null ? null : daysOf(expiresIn);
  // On the database's clock, and in hours, because a day of its time zone can have 23 hours.
  const id = newId('tok');
  await query(
    manager,
    sql`INSERT INTO ${Token} (id, organization_id, name, hint, scopes, expires_in, hash, expires_at, rotated_from)
        VALUES (${id}, ${organizationId}, ${name}, ${hintOf(value)}, ${scopes}, ${expiresIn}, ${hashOf(value)},
          now() + ${days}::integer * interval '24 hours', ${rotatedFrom})`,
  );
  return manager.findOneByOrFail(Token, { id });
}

/** Ends a token after the overlap, unless it ends before. No warning is sent of an end that is set here. */
async function endToken(manager: EntityManager, { organizationId, id }: Token, hours: number): Promise<void> {
  const end = sql`now() + ${hours}::integer * interval '1 hour'`;
  await query(
    manager,
    sql`UPDATE ${Token}
        SET expires_at = least(expires_at, ${end}),
          warned_days = least(warned_days, nullif((expires_at > ${end})::integer, 0)) -- a cluster refuses the clock in CASE
          ${hours === 0 ? sql`, revoked_at = now()` : sql``}
        WHERE organization_id = ${organizationId} AND id = ${id}`,
  );
}

const tokenNotFound = () => notFound('There is no such token.');
