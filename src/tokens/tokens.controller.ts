import { Body, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { CallerToken } from '../auth/authenticated-request';
import { CurrentToken, OrganizationId } from '../auth/caller.decorator';
import { AnyToken, Scopes } from '../auth/scopes.decorator';
import { ApiController } from '../http/api-controller.decorator';
import { linkNext, serializePage } from '../http/page';
import { serializeToken } from './token.serializer';
import { NewTokenView, TokenPageView, TokenView } from './token.view';
import { CreateTokenDto, ListTokensDto } from './tokens.dto';
import { TokensService } from './tokens.service';

// Also below /api, so that a gateway needs one rule.
@ApiController('v1/tokens', 'api/v1/tokens')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  /** The tokens of the organization, newest first. */
  @Get()
  @Scopes('admin')
  async list(
    @OrganizationId() organizationId: string,
    @Query() query: ListTokensDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenPageView> {
    const page = await this.tokens.list(organizationId, query);
    linkNext(request, response, page);
    return serializePage(page, serializeToken);
  }

  /** Makes a token; its value is shown this once. */
  @Post()
  @Scopes('admin')
  async create(
    @OrganizationId() organizationId: string,
    @Body() body: CreateTokenDto,
  ): Promise<NewTokenView> {
    const { token, value } = await this.tokens.create(organizationId, body);
    return { ...serializeToken(token), token: value };
  }

  /** The token that the request is made with. */
  @Get('current')
  @AnyToken()
  async current(@CurrentToken() { organizationId, id }: CallerToken): Promise<TokenView> {
    return serializeToken(await this.tokens.get(organizationId, id));
  }

  /** One token. */
  @Get(':id')
  @Scopes('admin')
  async get(@OrganizationId() organizationId: string, @Param('id') id: string): Promise<TokenView> {
    return serializeToken(await this.tokens.get(organizationId, id));
  }

  /** Makes a token invalid from the next request on; that it was revoked before is no failure. */
  @Delete(':id')
  @Scopes('admin')
  @HttpCode(204)
  revoke(@OrganizationId() organizationId: string, @Param('id') id: string): Promise<void> {
    return this.tokens.revoke(organizationId, id);
  }
}
