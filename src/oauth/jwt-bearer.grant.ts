import { hash } from 'node:crypto';
import { ConflictException, Inject, Injectable, NotFoundException, type OnModuleInit } from '@nestjs/common';
import type { Request, Response } from 'express';
import { areSuspended } from '../organizations/suspension';
import { Database } from '../platform/database/database';
import { SERVICE_OPTIONS } from '../platform/feature/options.module';
import { systemCallerIn } from '../platform/http/caller';
import { DEFAULT_BODY_LIMIT } from '../platform/http/input/body-of-route';
import { claimsOf, type Grant, grantsOf } from '../platform/issuers/claim-rules';
import { displayName } from '../platform/issuers/subject-name';
import { publicUrl } from '../platform/issuers/urls';
import { TokenWindows } from '../platform/rate-limit/token-windows';
import { EXCHANGED_HOURS } from '../tokens/children';
import { type NewToken, TokensService } from '../tokens/tokens.service';
import { type AssertionClaims, Assertions, wrongClaim } from './assertions';
import { usesBasic } from './client-credentials.grant';
import { scopesOf, type TokenForm, type TokenGrant } from './grant';
import { oauthFailure } from './oauth-failure';
import { type IssuerRule, parseIssuerRules, type TokenIssuersOptions } from './token-issuers';

/** Exchanges a signed assertion for a token of an hour (RFC 7523). */
@Injectable()
export class JwtBearerGrant implements TokenGrant, OnModuleInit {
  static readonly type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  static readonly fields = ['assertion', 'organization_id'] as const;

  private readonly rules: readonly IssuerRule[];
  /** Undefined if no issuer is configured. */
  private assertions?: Assertions;

  constructor(
    @Inject(SERVICE_OPTIONS) private readonly options: TokenIssuersOptions,
    private readonly database: Database,
    private readonly windows: TokenWindows,
    private readonly tokens: TokensService,
  ) {
    this.rules = parseIssuerRules(options.tokenIssuers?.rules ?? []);
  }

  async onModuleInit(): Promise<void> {
    const { tokenIssuers } = this.options;
    if (tokenIssuers === undefined) return;
    const issuers = new Set(this.rules.map(({ issuer }) => issuer));
    this.assertions = await Assertions.of(publicUrl(tokenIssuers.audience), issuers);
  }

  async exchange(request: Request, response: Response, form: TokenForm): Promise<NewToken> {
    if (!this.assertions)
      throw oauthFailure(
        'unsupported_grant_type',
        'This service exchanges no assertions: no issuer is configured.',
      );
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
    const scopes = scopesOf(form.scope, grant.scopes) ?? grant.scopes;
    const name = displayName(subject);
    const by = systemCallerIn(request, grant.organizationId, 'federation', issuer);
    const life = { hours: EXCHANGED_HOURS, endsBy: new Date(exp * 1000) };
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
