import { Logger, ServiceUnavailableException } from '@nestjs/common';
import type * as jose from 'jose';
import { describeError } from '../platform/database/errors';
import { Bulkhead } from '../platform/fairness/bulkhead';
import { LIMITS } from '../platform/fairness/limits';
import { boundedFetch } from '../platform/issuers/bounded-fetch';
import { reasonsOf } from '../platform/issuers/issuer-errors';
import { mayName } from '../platform/issuers/urls';

/** How long the keys are kept. */
const KEEP_MS = 10 * 60_000;

/** The issuer is asked no more often than that; until then its last answer counts, and its silence, too. */
const ASK_EVERY_MS = 10_000;

/** How long the issuer may take for both of its documents. */
const TIMEOUT_MS = 5_000;

const waiting = new Bulkhead(LIMITS.bodiesForIssuers);

type FoundKey = Awaited<ReturnType<jose.JWTVerifyGetKey>>;

/** The keys of one issuer of assertions. */
export class IssuerKeys {
  private readonly logger = new Logger('TokenIssuers');
  private keys?: { find: jose.JWTVerifyGetKey; readAt: number };
  private last?: { askedAt: number; answer: Promise<jose.JWTVerifyGetKey>; isPending: boolean };

  constructor(
    private readonly library: Pick<typeof jose, 'createLocalJWKSet' | 'errors'>,
    private readonly issuer: string,
  ) {}

  /**
   * Finds the key that has signed. `bytes` of memory wait if the issuer has to be asked. Throws a 503 if it does not
   * answer, and an error of the library if it has no such key.
   */
  async find(bytes: number, ...signed: Parameters<jose.JWTVerifyGetKey>): Promise<FoundKey> {
    const isFresh = this.keys && performance.now() - this.keys.readAt < KEEP_MS;
    const find = isFresh ? this.keys!.find : await this.ask(bytes);
    try {
      return await find(...signed);
    } catch (error) {
      if (!(error instanceof this.library.errors.JWKSNoMatchingKey)) throw error;
      const newer = await this.ask(bytes); // the issuer may have a new key
      return newer(...signed);
    }
  }

  private async ask(bytes: number): Promise<jose.JWTVerifyGetKey> {
    if (!this.last || performance.now() - this.last.askedAt >= ASK_EVERY_MS) this.begin();
    const { answer, isPending } = this.last!;
    if (!isPending) return answer;
    return waiting.run(this.issuer, () => answer, { cost: bytes });
  }

  private begin(): void {
    const last = { askedAt: performance.now(), answer: this.read(), isPending: true };
    this.last = last;
    const end = () => (last.isPending = false);
    last.answer.then(end, end);
  }

  private async read(): Promise<jose.JWTVerifyGetKey> {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const { issuer, jwks_uri: uri } = await fetchJson(
        `${this.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
        signal,
      );
      if (issuer !== this.issuer) throw new Error('the issuer has another identifier');
      if (!mayName(this.issuer, uri)) throw new Error('the issuer has no https:// address of its keys');
      const keys = (await fetchJson(uri, signal)) as unknown as jose.JSONWebKeySet;
      const find = this.library.createLocalJWKSet(keys);
      this.keys = { find, readAt: performance.now() };
      return find;
    } catch (error) {
      const message = 'The keys of an issuer cannot be read; its assertions are not exchanged.';
      this.logger.warn({
        message,
        issuer: this.issuer,
        reasons: reasonsOf(error),
        error: describeError(error),
      });
      throw unreachable();
    }
  }
}

async function fetchJson(url: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  const headers = { Accept: 'application/json, application/jwk-set+json' };
  const response = await boundedFetch(url, { headers, redirect: 'error', signal });
  if (response.status === 200) return parsed(await response.text());
  await response.body?.cancel();
  throw new Error(`the issuer has answered with ${response.status}`);
}

/** The message of a `SyntaxError` quotes the text, and it would be logged. */
function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new Error('the issuer has not answered with JSON');
  }
}

const unreachable = () =>
  new ServiceUnavailableException('The issuer of the assertion does not answer. Try again.');
