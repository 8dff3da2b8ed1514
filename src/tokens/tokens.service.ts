import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { FOR_VALUES } from '../platform/database/connections/statement-names';
import { Database } from '../platform/database/database';
import { rethrowViolation } from '../platform/database/errors';
import { findLocked } from '../platform/database/find-locked';
import { isId } from '../platform/database/id';
import { raw, sql } from '../platform/database/sql';
import { recordTokenEvent } from '../events/record-events';
import { type By, callerOf } from '../platform/http/caller';
import { conflict, noSuchOrganization } from '../platform/http/fault';
import { validatedInput } from '../platform/http/input/validate';
import { SERVICE_OPTIONS } from '../platform/feature/options.module';
import { newestFirst, type Page, paginate } from '../platform/pages/paginate';
import type { RateLimitOptions } from '../platform/rate-limit/rate-limit.options';
import { changeToken } from './change-token';
import { insertChild, requireStanding, revokeChildren, tokenNotFound } from './children';
import { numberIn } from './token/durations';
import { conditionsOf, Token, TOKEN_COLUMNS } from './token/token.entity';
import {
  maxRateLimit,
  rateLimitFaults,
  requireInheritable,
  termFaults,
  type TokensOptions,
  validateWithin,
} from './token/token-limits';
import { serializeToken } from './token/token.serializer';
import type { TokenView } from './token/token.view';
import { newTokenValue } from './token/token-value';
import {
  CreateTokenDto,
  ExchangeTokenDto,
  ListTokensDto,
  RotateTokenDto,
  UpdateTokenDto,
} from './token/token.dto';
import { endToken, insertToken, requireStaying, type TokenFields, updateToken } from './token/write-token';

/** A new token and its value, which is not stored. */
export interface NewToken {
  token: TokenView;
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

  async list(by: By, input: Partial<ListTokensDto> = {}): Promise<Page<TokenView>> {
    const { organizationId } = callerOf(by);
    const { limit, cursor, ...filter } = validatedInput(ListTokensDto, input);
    const filters = [filter.state, ...[filter.session, filter.parent].filter((value) => value !== undefined)];
    const page = newestFirst(
      // One token may have nearly all children, and another none.
      sql`${raw(FOR_VALUES)} ${TOKEN_COLUMNS} FROM ${Token} WHERE organization_id = ${organizationId} ${conditionsOf(filter)}`,
      { limit, cursor },
      ['tokens', organizationId, ...filters],
    );
    const { data, nextCursor } = await this.database.read(organizationId, (manager) =>
      paginate<Token>(manager, page),
    );
    return { data: data.map(serializeToken), nextCursor };
  }

  /**
   * Returns the new token and its value, which cannot be read again. The application itself may set a `rateLimit` of up
   * to 100,000, but a caller of the API none above the limit of the service.
   */
  create(by: By, input: CreateTokenDto): Promise<NewToken> {
    return this.insert(by, input);
  }

  /** @internal Creates the admin token of a first start, with this value. `tokenMaxDays` does not bind it. */
  createFirst(by: By, input: CreateTokenDto, value: string): Promise<NewToken> {
    return this.insert(by, input, {}, { value, maxDays: Infinity });
  }

  /** @internal Creates a token for a sign-in or an assertion. Throws a 409 if its term is already over. */
  createFor(
    by: By,
    input: CreateTokenDto,
    origin: Pick<TokenFields, 'createdBy' | 'windowId' | 'hours' | 'endsBy'>,
  ): Promise<NewToken> {
    return this.insert(by, input, origin);
  }

  private async insert(
    by: By,
    input: CreateTokenDto,
    origin: Partial<TokenFields> = {},
    { value = newTokenValue(), maxDays = this.options.tokenMaxDays } = {},
  ): Promise<NewToken> {
    const caller = callerOf(by);
    const fields = validateWithin(CreateTokenDto, input, ({ rateLimit, expiresIn }) => [
      ...rateLimitFaults(rateLimit, maxRateLimit(caller, this.options)),
      ...termFaults({ expiresIn, hours: origin.hours }, maxDays),
    ]);
    const token = await this.database
      .write(
        caller.organizationId,
        async (manager) => {
          await requireStaying(manager, caller);
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

  async get(by: By, id: string): Promise<TokenView> {
    const { organizationId } = callerOf(by);
    if (!isId('tok', id)) throw tokenNotFound();
    const token = await this.database.read(organizationId, (manager) =>
      manager.findOneBy(Token, { organizationId, id }),
    );
    if (!token) throw tokenNotFound();
    return serializeToken(token);
  }

  /**
   * Changes the name, the limit and the networks of a token, and takes scopes away, effective immediately, for its
   * children, too. Throws a 409 unless it is active and was made neither by an exchange nor by a sign-in.
   */
  async update(by: By, id: string, input: UpdateTokenDto): Promise<TokenView> {
    const caller = callerOf(by);
    const fields = validatedInput(UpdateTokenDto, input);
    if (!isId('tok', id)) throw tokenNotFound();
    const token = await this.database.write(
      caller.organizationId,
      (manager) => changeToken(manager, caller, id, fields, this.options),
      'quick',
    );
    return serializeToken(token);
  }

  /** Revokes a token and its children, effective immediately. Revoking twice succeeds. */
  async revoke(by: By, id: string): Promise<void> {
    const caller = callerOf(by);
    const { organizationId } = caller;
    if (!isId('tok', id)) throw tokenNotFound();
    const update = sql`SET revoked_at = now()
      WHERE organization_id = ${organizationId} AND id = ${id} AND revoked_at IS NULL`;
    const isRevoked = await this.database.write(
      organizationId,
      async (manager) => {
        const isRevoked = await updateToken(manager, { by: caller, type: 'token.revoked', update });
        if (isRevoked) await revokeChildren(manager, id);
        return isRevoked;
      },
      'quick',
    );
    if (!isRevoked) await this.get(by, id); // throws unless it was revoked before
  }

  /**
   * Replaces a token: returns a new one with the same name, scopes, limit and networks, and its value, which cannot be
   * read again. The old one keeps working for the overlap, but never longer than it would have. Throws a 409 unless it
   * is active.
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
        requireStanding(old, 'rotated');
        if (expiresIn === undefined) requireInheritable(old, tokenMaxDays);
        await endToken(manager, old, numberIn(overlap));
        // An overlap of an hour is longer than the life of any child.
        if (numberIn(overlap) === 0) await revokeChildren(manager, id);
        const { name, scopes, rateLimit, allowedNetworks } = old;
        const kept = { name, scopes, rateLimit, allowedNetworks };
        const fields = { ...kept, expiresIn: expiresIn ?? old.expiresIn, rotatedFrom: id };
        await requireStaying(manager, caller);
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
}
