import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../database/database';
import { rethrowViolation } from '../database/errors';
import { findLocked } from '../database/find-locked';
import { isId } from '../database/id';
import { sql } from '../database/sql';
import { recordTokenEvent } from '../events/record-events';
import { type By, type Caller, callerOf } from '../http/caller';
import type { Source } from '../http/wire-format';
import { conflict, noSuchOrganization } from '../http/fault';
import { validatedInput } from '../http/input/validate';
import { SERVICE_OPTIONS } from '../feature/options.module';
import { BY_CREATION, type Page, paginate } from '../pages/paginate';
import type { RateLimitOptions } from '../rate-limit/rate-limit.options';
import { insertChild, revokeChildren, tokenNotFound } from './children';
import { numberIn } from './durations';
import { Token, TOKEN_COLUMNS } from './token.entity';
import { conditionsOf } from './token.filter';
import {
  rateLimitFaults,
  requireInheritable,
  termFaults,
  type TokensOptions,
  validateWithin,
} from './token-limits';
import { serializeToken, type TokenRecord } from './token.serializer';
import { newTokenValue } from './token-value';
import { CreateTokenDto, ExchangeTokenDto, ListTokensDto, RotateTokenDto } from './tokens.dto';
import { endToken, insertToken, requireStaying, type TokenFields, updateToken } from './write-token';

/**
 * Callers that are no token, with one of these sources, act for the operator, who may exceed the service's limit, and
 * whom a suspension does not stop.
 */
const TRUSTED_SOURCES: readonly Source[] = ['api', 'cli', 'application'];
const actsForOperator = ({ actor, source }: Caller) =>
  actor.type === 'system' && TRUSTED_SOURCES.includes(source);

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
    @Inject(SERVICE_OPTIONS) private readonly options: RateLimitOptions & TokensOptions,
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
   * `createdBy`, and ends after `hours`, and by `endsBy` at the latest: a 409 if that time has passed. `isFirst` is for
   * the admin token of a first start, which `tokenMaxDays` does not bind.
   */
  async create(
    by: By,
    input: CreateTokenDto,
    {
      value = newTokenValue(),
      isFirst = false,
      ...origin
    }: { value?: string; isFirst?: boolean } & Pick<
      TokenFields,
      'createdBy' | 'hours' | 'endsBy' | 'windowId'
    > = {},
  ): Promise<NewToken> {
    const caller = callerOf(by);
    const fields = this.validated(caller, input, { isFirst, hours: origin.hours });
    const token = await this.database
      .write(
        caller.organizationId,
        async (manager) => {
          if (actsForOperator(caller)) await requireStaying(manager, caller);
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
    const { tokenMaxDays } = this.options;
    const { overlap, expiresIn } = validateWithin(RotateTokenDto, input as RotateTokenDto, ({ expiresIn }) =>
      expiresIn === undefined ? [] : termFaults({ expiresIn }, tokenMaxDays),
    );
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
        if (expiresIn === undefined) requireInheritable(old, tokenMaxDays);
        await endToken(manager, old, numberIn(overlap));
        // An overlap of an hour is longer than the life of any child.
        if (numberIn(overlap) === 0) await revokeChildren(manager, id);
        const { name, scopes, rateLimit } = old;
        const fields = { name, scopes, rateLimit, expiresIn: expiresIn ?? old.expiresIn, rotatedFrom: id };
        if (actsForOperator(caller)) await requireStaying(manager, caller);
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

  /** Throws a 400 that lists every fault, including limits above what the caller may set. */
  private validated(
    caller: Caller,
    input: CreateTokenDto,
    { isFirst, hours }: { isFirst: boolean; hours?: number },
  ): CreateTokenDto {
    const { rateLimitPerMinute, tokenMaxDays } = this.options;
    const max = Math.max(actsForOperator(caller) ? OPERATOR_LIMIT : 0, rateLimitPerMinute);
    const maxDays = isFirst ? undefined : tokenMaxDays;
    return validateWithin(CreateTokenDto, input, ({ rateLimit, expiresIn }) => [
      ...rateLimitFaults(rateLimit, max),
      ...termFaults({ expiresIn, hours }, maxDays),
    ]);
  }
}
