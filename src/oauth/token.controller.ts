import {
  Controller,
  HttpCode,
  Optional,
  Post,
  Req,
  Res,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { HeldBodyInterceptor } from '../http/input/held-body';
import { NoQueryGuard } from '../http/input/no-query.guard';
import { Public } from '../http/scopes';
import type { NewToken } from '../tokens/tokens.service';
import { type AccessTokenView, serializeAccessToken } from './access-token.view';
import { ClientCredentialsGrant } from './client-credentials.grant';
import { OAuthFailureFilter } from './failure.filter';
import { FormGuard, type TokenForm } from './form.guard';
import { JwtBearerGrant } from './jwt-bearer.grant';
import { oauthFailure } from './oauth-failure';

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** The token endpoint of OAuth 2.0 (RFC 6749). */
@Controller(['oauth/token', 'api/oauth/token']) // in a host, no other path below /oauth is ours
@Public()
@UseGuards(NoQueryGuard, FormGuard)
@UseInterceptors(HeldBodyInterceptor)
@UseFilters(OAuthFailureFilter)
export class TokenController {
  constructor(
    private readonly clientCredentials: ClientCredentialsGrant,
    @Optional() private readonly jwtBearer?: JwtBearerGrant,
  ) {}

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
    return serializeAccessToken(await this.grant(request, response, request.body as TokenForm));
  }

  private grant(request: Request, response: Response, form: TokenForm): Promise<NewToken> {
    if (form.grant_type === 'client_credentials')
      return this.clientCredentials.exchange(request, response, form);
    if (form.grant_type === undefined)
      throw oauthFailure('invalid_request', 'The field grant_type is required.');
    if (form.grant_type !== JWT_BEARER)
      throw oauthFailure(
        'unsupported_grant_type',
        `The grant_type must be client_credentials or ${JWT_BEARER}.`,
      );
    if (!this.jwtBearer)
      throw oauthFailure(
        'unsupported_grant_type',
        'This service exchanges no assertions: no issuer is configured.',
      );
    return this.jwtBearer.exchange(request, response, form);
  }
}
