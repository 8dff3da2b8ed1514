import { HttpException } from '@nestjs/common';
import type * as jose from 'jose';
import type { Claims } from '../platform/issuers/claim-rules';
import { notInstalled } from '../platform/feature/not-installed';
import { IssuerKeys } from './issuer-keys';
import { oauthFailure } from './oauth-failure';

/** The claims that an assertion must have. */
export type AssertionClaims = Claims & { iss: string; sub: string; exp: number };

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];

/** How far the clocks of the issuer and of this process may differ, for `nbf` and `iat`. */
const TOLERANCE_S = 30;

/** The end of an assertion is at most so far away. */
const LONGEST_S = 24 * 60 * 60;

/** Verifies signed assertions of issuers, which all have this audience. */
export class Assertions {
  private readonly keys: ReadonlyMap<string, IssuerKeys>;

  private constructor(
    private readonly library: typeof jose,
    private readonly audience: string,
    issuers: ReadonlySet<string>,
  ) {
    this.keys = new Map([...issuers].map((issuer) => [issuer, new IssuerKeys(library, issuer)]));
  }

  /** Loads the library. */
  static async of(audience: string, issuers: ReadonlySet<string>): Promise<Assertions> {
    return new Assertions(
      await import('jose').catch(notInstalled('jose', 'TOKEN_ISSUERS')),
      audience,
      issuers,
    );
  }

  /** The claims. Throws `invalid_grant`, or a 503 if the issuer does not answer. `bytes` may have to wait for it. */
  async verify(assertion: string, bytes: number): Promise<AssertionClaims> {
    const issuer = this.issuerOf(assertion);
    const keys = this.keys.get(issuer);
    if (!keys) throw wrongClaim('iss');
    try {
      const { payload } = await this.library.jwtVerify<AssertionClaims>(
        assertion,
        (...signed) => keys.find(bytes, ...signed),
        {
          issuer,
          audience: this.audience,
          algorithms: ALGORITHMS,
          clockTolerance: TOLERANCE_S,
          requiredClaims: ['sub', 'exp'],
        },
      );
      requireTimes(payload);
      if (typeof payload.sub !== 'string') throw wrongClaim('sub');
      return payload;
    } catch (error) {
      throw this.failureOf(error);
    }
  }

  private issuerOf(assertion: string): string {
    try {
      return String(this.library.decodeJwt(assertion).iss);
    } catch {
      throw oauthFailure('invalid_grant', 'The assertion is no signed JWT.');
    }
  }

  private failureOf(error: unknown): unknown {
    if (error instanceof HttpException) return error;
    const { JWTClaimValidationFailed, JWTExpired } = this.library.errors;
    if (error instanceof JWTClaimValidationFailed || error instanceof JWTExpired)
      return wrongClaim(error.claim);
    return oauthFailure(
      'invalid_grant',
      `The assertion has no valid signature by a key of its issuer, with one of ${ALGORITHMS.join(', ')}.`,
    );
  }
}

/** The library tolerates an end that is a moment ago, and any end that is far away. */
function requireTimes({ exp, iat }: { exp: number; iat?: number }): void {
  const now = Date.now() / 1000;
  if (exp <= now || exp > now + LONGEST_S) throw wrongClaim('exp');
  if (iat !== undefined && iat > now + TOLERANCE_S) throw wrongClaim('iat');
}

export const wrongClaim = (claim: string) =>
  oauthFailure('invalid_grant', `The claim ${claim} of the assertion is missing or not acceptable.`);
