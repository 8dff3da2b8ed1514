import { Body, Delete, Get, HttpCode, Param, Patch, Post, Query, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Responses } from '../platform/http/responses';
import { ApiController } from '../platform/http/api-controller.decorator';
import { type Caller, type CallerToken, CurrentCaller, CurrentToken } from '../platform/http/caller';
import { refuseKey } from '../platform/http/input/idempotency-key';
import { OptionalBody } from '../platform/http/input/body-of-route';
import { AnyToken, FromAnyNetwork, Scopes } from '../platform/http/scopes';
import { Paged } from '../platform/pages/page';
import { NewTokenView, TokenPageView, TokenView } from './token/token.view';
import { CreateTokenDto, ListTokensDto, RotateTokenDto, UpdateTokenDto } from './token/token.dto';
import { TokensService } from './tokens.service';

// Also below /api, so that a gateway needs only one rule.
@ApiController('v1/tokens', 'api/v1/tokens')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  /**
   * List tokens
   * @remarks Returns the tokens of the organization page by page, newest first, including expired and revoked ones.
   */
  @Get()
  @Scopes('admin')
  @Paged()
  list(@CurrentCaller() by: Caller, @Query() query: ListTokensDto): Promise<TokenPageView> {
    return this.tokens.list(by, query);
  }

  /**
   * Create a token
   * @remarks Only this response contains the token's value. Store it now; it cannot be retrieved again.
   */
  @Post()
  @Scopes('admin')
  async create(
    @CurrentCaller() by: Caller,
    @Body() body: CreateTokenDto,
    @Req() request: Request,
  ): Promise<NewTokenView> {
    refuseKey(request);
    const { token, value } = await this.tokens.create(by, body);
    return { ...token, token: value };
  }

  /**
   * Get the current token
   * @remarks Returns the record of the token that authenticates the request.
   */
  @Get('current') // before `:id`, which would match it
  @AnyToken()
  current(@CurrentCaller() by: Caller, @CurrentToken() { id }: CallerToken): Promise<TokenView> {
    return this.tokens.get(by, id);
  }

  /**
   * Revoke the current token
   * @remarks Revokes the token that authenticates the request: its next request is a 401. Works from any network, so
   * that whoever finds a token can end it.
   */
  @Delete('current')
  @AnyToken()
  @FromAnyNetwork()
  @HttpCode(204)
  revokeCurrent(@CurrentCaller() by: Caller, @CurrentToken() { id }: CallerToken): Promise<void> {
    return this.tokens.revoke(by, id);
  }

  /**
   * Get a token
   * @remarks Returns the record of one token, without its value.
   */
  @Get(':id')
  @Scopes('admin')
  get(@CurrentCaller() by: Caller, @Param('id') id: string): Promise<TokenView> {
    return this.tokens.get(by, id);
  }

  /**
   * Update a token
   * @remarks Changes the fields that the body contains; scopes can only be taken away. Takes effect immediately, also
   * for the tokens that its value was exchanged for. A token that has ended, or that a sign-in or an exchange has made,
   * is a 409.
   */
  @Patch(':id')
  @Scopes('admin')
  @Responses({ failures: [409] })
  update(
    @CurrentCaller() by: Caller,
    @Param('id') id: string,
    @Body() body: UpdateTokenDto,
  ): Promise<TokenView> {
    return this.tokens.update(by, id, body);
  }

  /**
   * Rotate a token
   * @remarks Replaces a token with a new one of the same name, scopes, limit and networks. Only this response contains
   * the new value. Both tokens work until the overlap is over, so that you can hand out the new value without a failed
   * request. The body may be left out.
   */
  @Post(':id/rotate')
  @Scopes('admin')
  @OptionalBody()
  @Responses({ failures: [409] })
  async rotate(
    @CurrentCaller() by: Caller,
    @Param('id') id: string,
    @Body() body: RotateTokenDto,
    @Req() request: Request,
  ): Promise<NewTokenView> {
    refuseKey(request);
    const { token, value } = await this.tokens.rotate(by, id, body);
    return { ...token, token: value };
  }

  /**
   * Revoke a token
   * @remarks Takes effect immediately: the next request with the token is a 401. Revoking twice succeeds.
   */
  @Delete(':id')
  @Scopes('admin')
  @HttpCode(204)
  revoke(@CurrentCaller() by: Caller, @Param('id') id: string): Promise<void> {
    return this.tokens.revoke(by, id);
  }
}
