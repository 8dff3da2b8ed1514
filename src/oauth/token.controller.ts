import { Controller, HttpCode, Post, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Request, Response } from 'express';
import { HoldBodies } from '../platform/http/input/held-body';
import { NoQueryGuard } from '../platform/http/input/no-query.guard';
import { Public } from '../platform/http/scopes';
import { type AccessTokenView, serializeAccessToken } from './access-token.view';
import { OAuthFailureFilter } from './failure.filter';
import { FormGuard } from './form.guard';
import type { TokenForm, TokenGrant } from './grant';
import { GRANTS } from './grants';
import { oauthFailure } from './oauth-failure';

const CHOICE = new Intl.ListFormat('en', { type: 'disjunction' });

/** The token endpoint of OAuth 2.0 (RFC 6749). */
@Controller(['oauth/token', 'api/oauth/token']) // in a host, no other path below /oauth is ours
@Public()
@UseGuards(NoQueryGuard, FormGuard)
@HoldBodies()
@UseFilters(OAuthFailureFilter)
export class TokenController {
  constructor(private readonly modules: ModuleRef) {}

  /**
   * Get a token
   * @remarks Exchanges the id and the value of a token, or a signed assertion of an issuer that the operators trust,
   * for a token of an hour (RFC 6749, RFC 7523). The id and the value may come by HTTP Basic instead of in the body.
   * Fields that are not known are ignored.
   */
  @Post()
  @HttpCode(200)
  async exchange(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccessTokenView> {
    const form = request.body as TokenForm;
    return serializeAccessToken(await this.grantOf(form).exchange(request, response, form));
  }

  private grantOf({ grant_type: type }: TokenForm): TokenGrant {
    if (type === undefined) throw oauthFailure('invalid_request', 'The field grant_type is required.');
    const grant = GRANTS.find((grant) => grant.type === type);
    if (grant) return this.modules.get<TokenGrant>(grant);
    const types = CHOICE.format(GRANTS.map(({ type }) => type));
    throw oauthFailure('unsupported_grant_type', `The grant_type must be ${types}.`);
  }
}
