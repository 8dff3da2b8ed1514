import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import { findLocked } from '../platform/database/find-locked';
import { recordTokenEvent } from '../events/record-events';
import type { Caller } from '../platform/http/caller';
import { type Fault, invalidInput } from '../platform/http/fault';
import { forgetRefused } from '../platform/rate-limit/postgres.storage';
import type { RateLimitOptions } from '../platform/rate-limit/rate-limit.options';
import { requireStanding, tokenNotFound, updateChildren } from './children';
import { canonicalNetwork } from './token/allowed-networks';
import type { UpdateTokenDto } from './token/token.dto';
import { Token } from './token/token.entity';
import { maxRateLimit, rateLimitFaults } from './token/token-limits';
import { serializeToken } from './token/token.serializer';

/** Changes a token and its children, as `TokensService.update()` describes it. */
export async function changeToken(
  manager: EntityManager,
  caller: Caller,
  id: string,
  fields: UpdateTokenDto,
  options: RateLimitOptions,
): Promise<Token> {
  const { organizationId } = caller;
  const token = await findLocked(manager, Token, { organizationId, id });
  if (!token) throw tokenNotFound();
  requireStanding(token, 'changed');
  const changes = changesOf(token, fields);
  const faults = [
    ...scopeFaults(token, changes),
    ...rateLimitFaults(changes.rateLimit, maxRateLimit(caller, options)),
  ];
  if (faults.length > 0) throw invalidInput(faults);
  const names = Object.keys(changes) as (keyof UpdateTokenDto)[];
  if (names.length === 0) return token;
  await manager.update(Token, { organizationId, id }, changes);
  const after = await manager.findOneByOrFail(Token, { organizationId, id });
  await updateChildren(manager, after);
  const [before, now] = [token, after].map(({ rateLimit }) => rateLimit ?? options.rateLimitPerMinute);
  if (now > before) await forgetRefused(manager, organizationId, id, before);
  const previous = Object.fromEntries(names.map((name) => [name, token[name]]));
  const data = { token: serializeToken(after), previous };
  await recordTokenEvent(manager, { by: caller, type: 'token.updated', targetId: id, data });
  return after;
}

/** The given fields whose values change. Each is a column of the token, or this does not compile. */
function changesOf(token: Token, { allowedNetworks, ...fields }: UpdateTokenDto): UpdateTokenDto {
  const networks = allowedNetworks?.map((network) => canonicalNetwork(network)!) ?? allowedNetworks;
  const given = Object.entries({ ...fields, allowedNetworks: networks }) as [keyof UpdateTokenDto, unknown][];
  return Object.fromEntries(
    given.filter(
      ([name, value]) => value !== undefined && !isDeepStrictEqual(sorted(value), sorted(token[name])),
    ),
  );
}

/** Lists are sets: their order means nothing. */
const sorted = (value: unknown) => (Array.isArray(value) ? value.toSorted() : value);

/** A change may only take scopes away: whoever could add one could give a leaked token more than it has. */
const scopeFaults = (token: Token, { scopes = [] }: UpdateTokenDto): Fault[] =>
  scopes.every((scope) => token.scopes.includes(scope))
    ? []
    : [
        {
          field: 'scopes',
          code: 'out_of_range',
          message: 'must be among those of the token; for others, create a token',
        },
      ];
