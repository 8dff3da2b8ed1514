import type { Type } from '@nestjs/common';
import type { Caller } from '../../platform/http/caller';
import type { Source } from '../../platform/http/wire-format';
import { type Fault, invalidInput } from '../../platform/http/fault';
import { validate } from '../../platform/http/input/validate';
import type { RateLimitOptions } from '../../platform/rate-limit/rate-limit.options';
import { numberIn } from './durations';

export interface TokensOptions {
  /** How many days a token may live. Default: forever. */
  tokenMaxDays?: number;
}

/** Sources that act for the operator. Their tokens may have a higher limit than the service's default. */
const OPERATOR_SOURCES: readonly Source[] = ['api', 'cli', 'application'];
const OPERATOR_LIMIT = 100_000;

/** Whether the caller acts for the operator, whom the suspension of an organization does not stop. */
export const actsForOperator = ({ actor, source }: Caller): boolean =>
  actor.type === 'system' && OPERATOR_SOURCES.includes(source);

/** The highest `rateLimit` that the caller may set. */
export const maxRateLimit = (caller: Caller, { rateLimitPerMinute }: RateLimitOptions): number =>
  Math.max(actsForOperator(caller) ? OPERATOR_LIMIT : 0, rateLimitPerMinute);

/** Validates input by its DTO and by limits. Throws a 400 that lists every fault; that of a limit has precedence. */
export function validateWithin<Dto extends object>(
  metatype: Type<Dto>,
  input: Dto,
  limitFaultsOf: (fields: Dto) => Fault[],
): Dto {
  const { dto, faults = [] } = validate(metatype, input);
  const hasFields = !faults.some(({ field }) => field === 'body');
  const above = hasFields ? limitFaultsOf(input) : [];
  const others = faults.filter(({ field }) => !above.some((fault) => fault.field === field));
  const all = [...others, ...above];
  if (!dto || all.length > 0) throw invalidInput(all);
  return dto;
}

export const rateLimitFaults = (rateLimit: unknown, max: number): Fault[] =>
  Number.isSafeInteger(rateLimit) && Number(rateLimit) > max
    ? [{ field: 'rateLimit', code: 'out_of_range', message: `must be at most ${max}` }]
    : [];

/** Reports a term that is above the limit. Other values of `expiresIn` are the DTO's business. */
export function termFaults(
  { expiresIn, hours }: { expiresIn?: unknown; hours?: number },
  maxDays = Infinity,
): Fault[] {
  if (expiresIn === undefined && hours === undefined && maxDays !== Infinity) {
    const message = `is required, because a token may live at most ${maxDays}d`;
    return [{ field: 'expiresIn', code: 'required', message }];
  }
  const isDays = typeof expiresIn === 'string' && /^\d+d$/.test(expiresIn);
  const days = isDays ? numberIn(expiresIn) : (hours ?? 0) / 24;
  return days > maxDays
    ? [{ field: 'expiresIn', code: 'out_of_range', message: `must be at most ${maxDays}d` }]
    : [];
}

/** Throws a 400 if a rotation may not give the new token the term of the old one. */
export function requireInheritable({ expiresIn }: { expiresIn: string | null }, maxDays?: number): void {
  const faults = termFaults({ expiresIn: expiresIn ?? undefined }, maxDays);
  const message = `must be given and be at most ${maxDays}d, because the term of the old token is longer`;
  if (faults.length > 0)
    throw invalidInput(
      faults.map((fault) => (fault.code === 'out_of_range' ? { ...fault, message } : fault)),
    );
}
