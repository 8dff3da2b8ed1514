import { hash } from 'node:crypto';
import { ConflictException, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { areSuspended } from '../auth/organizations/suspension';
import type { Database } from '../database/database';
import { systemCaller } from '../http/caller';
import { DEFAULT_BODY_LIMIT } from '../http/input/body-of-route';
import { requestIdOf } from '../http/request-id';
import { claimsOf, type Grant, grantsOf } from '../issuers/claim-rules';
import { displayName } from '../issuers/subject-name';
import type { TokenWindows } from '../rate-limit/token-windows';
import type { NewToken, TokensService } from '../tokens/tokens.service';
import { type AssertionClaims, Assertions, wrongClaim } from './assertions';
import { usesBasic } from './client-credentials';
import type { TokenForm } from './form.guard';
import { oauthFailure } from './oauth-failure';
import { scopesOf } from './scope';
import { type IssuerRule, parseIssuerRules, type TokenIssuers } from './token-issuers';

/** The life of a token, unless the assertion ends sooner. */
const HOURS = 1;

/** Exchanges a signed assertion for a token of an hour (RFC 7523). */
export class JwtBearerGrant {
  private constructor(
    private readonly rules: readonly IssuerRule[],
    private readonly assertions: Assertions,
    private readonly database: Database,
    private readonly windows: TokenWindows,
    private readonly tokens: TokensService,
  ) {}

  static async open(
    { audience, rules: texts }: TokenIssuers,
    database: Database,
    windows: TokenWindows,
    tokens: TokensService,
  ): Promise<JwtBearerGrant> {
    const rules = parseIssuerRules(texts);
    const assertions = await Assertions.of(audience, new Set(rules.map(({ issuer }) => issuer)));
    return new JwtBearerGrant(rules, assertions, database, windows, tokens);
  }

  async exchange(request: Request, response: Response, form: TokenForm): Promise<NewToken> {
    const { assertion, client_secret: secret, organization_id: organizationId } = form;
    if (assertion === undefined) throw oauthFailure('invalid_request', 'The field assertion is required.');
    if (secret !== undefined || usesBasic(request))
      throw oauthFailure('invalid_request', 'An assertion is exchanged without a secret.');
    const claims = await this.assertions.verify(
      assertion,
      Number(request.headers['content-length'] ?? DEFAULT_BODY_LIMIT),
    );
    const grant = chosen(this.grantsOf(claims), organizationId);
    const { iss: issuer, sub: subject, exp } = claims;
    const windowId = `sub_${hash('sha256', JSON.stringify([issuer, subject]), 'base64url')}`;
    await this.windows.admit(
      { request, response },
      { organizationId: grant.organizationId, windowId, rateLimit: null },
    );
    if (await areSuspended(this.database, [grant.organizationId]))
      throw oauthFailure('invalid_grant', 'The organization of the assertion is suspended.');
    const scopes = scopesOf(form.scope, grant.scopes);
    const name = displayName(subject);
    const by = {
      ...systemCaller(grant.organizationId, 'federation', issuer),
      requestId: requestIdOf(request),
    };
    const life = { hours: HOURS, endsBy: new Date(exp * 1000) };
    const fields = { createdBy: { issuer, subject, name }, windowId, ...life };
    return this.tokens.createFor(by, { name, scopes }, fields).catch((error: unknown) => {
      if (error instanceof NotFoundException) throw noRule(this.rules); // its organization is gone
      throw error instanceof ConflictException ? wrongClaim('exp') : error; // over by the clock of the database
    });
  }

  private grantsOf(claims: AssertionClaims): Grant[] {
    const rules = this.rules.filter(({ issuer }) => issuer === claims.iss);
    const grants = grantsOf(rules, claims);
    if (grants.length === 0) throw noRule(rules);
    return grants;
  }
}

/** The grant of the wanted organization, which the request may leave out if there is only one. */
function chosen(grants: Grant[], organizationId?: string): Grant {
  if (organizationId === undefined && grants.length === 1) return grants[0];
  const ids = grants.map((grant) => grant.organizationId).join(', ');
  if (organizationId === undefined)
    throw oauthFailure('invalid_request', `The field organization_id must be one of ${ids}.`);
  const grant = grants.find((grant) => grant.organizationId === organizationId);
  if (!grant) throw oauthFailure('invalid_grant', 'No rule gives access to the organization_id.');
  return grant;
}

const noRule = (rules: readonly IssuerRule[]) =>
  oauthFailure(
    'invalid_grant',
    `No rule of this service matches the assertion. These claims were looked at: ${claimsOf(rules).join(', ')}.`,
  );
