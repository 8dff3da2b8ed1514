import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../database/database';
import { rethrowViolation } from '../database/errors';
import { findLocked } from '../database/find-locked';
import { isId } from '../database/id';
import { query, sql } from '../database/sql';
import { recordTokenEvent } from '../events/record-events';
import { type By, type Caller, callerOf, type Source } from '../http/caller';
import { conflict, invalidInput, noSuchOrganization } from '../http/fault';
import { validate, validatedInput } from '../http/input/validate';
import { SERVICE_OPTIONS } from '../feature/options.module';
import { BY_CREATION, type Page, paginate } from '../pages/paginate';
import type { RateLimitOptions } from '../rate-limit/rate-limit.options';
import { insertChild, revokeChildren, tokenNotFound } from './children';
import { numberIn } from './durations';
import { insertToken, type TokenFields } from './insert-token';
import { Token, TOKEN_COLUMNS } from './token.entity';
import { conditionsOf } from './token.filter';
import { serializeToken, type TokenRecord } from './token.serializer';
import { newTokenValue } from './token-value';
import { CreateTokenDto, ExchangeTokenDto, ListTokensDto, RotateTokenDto } from './tokens.dto';
import { updateToken } from './update-token';

/** Callers with these sources act for the operator, who may set a limit above that of the service. */
const OPERATORS: readonly Source[] = ['cli', 'application'];
const OPERATOR_LIMIT = 100_000;

/** A new token and its value, which is not stored. */
export interface NewToken {
  token: TokenRecord;
  value: string;
}

@Injectable()
export class TokensService {
  /** @internal Nest constructs it. */
  constructor(
    private readonly database: Database,
    @Inject(SERVICE_OPTIONS) private readonly options: RateLimitOptions,
  ) {}

  /** The same service in an open transaction of the application, with the promises of `UsersService.within()`. */
  within(manager: EntityManager): TokensService {
    return new TokensService(this.database.within(manager), this.options);
  }

  async list(by: By, input: Partial<ListTokensDto> = {}): Promise<Page<TokenRecord>> {
    const { organizationId } = callerOf(by);
    const { limit, cursor, ...filter } = validatedInput(ListTokensDto, input);
    const { state, session, parent } = filter;
    const page = {
      select: sql`SELECT ${TOKEN_COLUMNS} FROM ${Token}
        WHERE organization_id = ${organizationId} ${conditionsOf(filter)}`,
      columns: BY_CREATION,
      order: 'desc' as const,
      limit,
      cursor,
      list: [
        'tokens',
        organizationId,
        state,
        ...(session === undefined ? [] : [session]),
        ...(parent ? [parent] : []),
      ],
    };
    const { data, nextCursor } = await this.database.read(organizationId, (manager) =>
      paginate<Token>(manager, page),
    );
    return { data: data.map(serializeToken), nextCursor };
  }

  /**
   * Returns the new token and its value, which cannot be read again. The application itself may set a `rateLimit` of up
   * to 100,000, but a caller of the API none above the limit of the service. A token of a sign-in or an assertion has
   * `createdBy`, and ends after `hours`, and by `endsBy` at the latest: a 409 if that time has passed.
   */
  async create(
    by: By,
    input: CreateTokenDto,
    {
      value = newTokenValue(),
      ...origin
    }: { value?: string } & Pick<TokenFields, 'createdBy' | 'hours' | 'endsBy' | 'windowId'> = {},
  ): Promise<NewToken> {
    const caller = callerOf(by);
    const fields = this.validated(caller, input);
    const token = await this.database
      .write(
        caller.organizationId,
        async (manager) => {
          const token = await insertToken(manager, caller, { ...fields, ...origin }, value);
          if (token.expired) throw conflict('The token would already have expired.');
          const data = { token: serializeToken(token) };
          await recordTokenEvent(manager, { by: caller, type: 'token.created', targetId: token.id, data });
          return token;
        },
        'quick',
      )
      .catch(rethrowViolation({ tokens_organization_id_fkey: noSuchOrganization }));
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

  /** Revokes a token and its children, effective immediately. Revoking twice succeeds. */
  async revoke(by: By, id: string): Promise<void> {
    const caller = callerOf(by);
    const { organizationId } = caller;
    const revocation = sql`SET revoked_at = now()
      WHERE organization_id = ${organizationId} AND id = ${id} AND revoked_at IS NULL`;
    const revoked =
      isId('tok', id) &&
      (await this.database.write(
        organizationId,
        async (manager) => {
          const change = { by: caller, type: 'token.revoked' as const, update: revocation };
          return (await updateToken(manager, change)) && (await revokeChildren(manager, id), true);
        },
        'quick',
      ));
    if (!revoked) await this.get(by, id); // throws unless it was revoked before
  }

  /**
   * Replaces a token: returns a new one with the same name and scopes, and its value, which cannot be read again. The
   * old one keeps working for the overlap, but never longer than it would have. Throws a 409 unless it is active.
   */
  async rotate(by: By, id: string, input: Partial<RotateTokenDto> = {}): Promise<NewToken> {
    const caller = callerOf(by);
    const { organizationId } = caller;
    const { overlap, expiresIn } = validatedInput(RotateTokenDto, input);
    if (!isId('tok', id)) throw tokenNotFound();
    const value = newTokenValue();
    const token = await this.database.write(
      organizationId,
      async (manager) => {
        const old = await findLocked(manager, Token, { organizationId, id });
        if (!old) throw tokenNotFound();
        const { state } = serializeToken(old);
        if (state !== 'active') throw conflict(`Only an active token can be rotated; this one is ${state}.`);
        if (old.windowId) throw conflict('A token of an exchange cannot be rotated. Exchange again instead.');
        if (old.createdBy) throw conflict('The token of a sign-in cannot be rotated. Sign in again instead.');
        await endToken(manager, old, numberIn(overlap));
        // An overlap of an hour is longer than the life of any child.
        if (numberIn(overlap) === 0) await revokeChildren(manager, id);
        const { name, scopes, rateLimit } = old;
        const fields = { name, scopes, rateLimit, expiresIn: expiresIn ?? old.expiresIn, rotatedFrom: id };
        const token = await insertToken(manager, caller, fields, value);
        const data = { token: serializeToken(token) };
        await recordTokenEvent(manager, { by: caller, type: 'token.rotated', targetId: id, data });
        return token;
      },
      'quick',
    );
    return { token: serializeToken(token), value };
  }

  /**
   * Makes a child of a token: a token with all or some of its scopes that lives for an hour, and ends with its parent.
   * Both count in one window. Returns it and its value, which cannot be read again. Records no event. Throws a 404
   * unless the parent is active, and a 409 if it is of an exchange itself, or if 1,000 children of it live.
   */
  async exchange(by: By, parentId: string, input: ExchangeTokenDto = {}): Promise<NewToken> {
    const caller = callerOf(by);
    const { scopes } = validatedInput(ExchangeTokenDto, input);
    const value = newTokenValue();
    const token = await this.database.write(
      caller.organizationId,
      (manager) => insertChild(manager, caller, { parentId, scopes }, value),
      'quick',
    );
    return { token: serializeToken(token), value };
  }

  /** Throws a 400 that lists every fault, including a limit above what the caller may set. */
  private validated({ source }: Caller, input: CreateTokenDto): CreateTokenDto {
    const max = Math.max(OPERATORS.includes(source) ? OPERATOR_LIMIT : 0, this.options.rateLimitPerMinute);
    const { dto, faults = [] } = validate(CreateTokenDto, input);
    const isAbove = Number.isSafeInteger(input?.rateLimit) && input.rateLimit! > max;
    const message = `must be at most ${max}`;
    const above = isAbove ? [{ field: 'rateLimit', code: 'out_of_range', message } as const] : [];
    const all = [...faults, ...above];
    if (!dto || all.length > 0) throw invalidInput(all);
    return dto;
  }
}

/** Ends a token when the overlap is over, unless it ends sooner. No warning is recorded for this end. */
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
