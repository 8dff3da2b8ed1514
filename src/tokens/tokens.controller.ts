import { Body, Delete, Get, HttpCode, Param, Post, Query, UseInterceptors } from '@nestjs/common';
import type { CallerToken } from '../auth/authenticated-request';
import { CurrentToken, OrganizationId } from '../auth/caller.decorator';
import { AnyToken, Scopes } from '../auth/scopes.decorator';
import { ApiController } from '../http/api-controller.decorator';
import { NextLinkInterceptor, serializePage } from '../http/page';
import { serializeToken } from './token.serializer';
import { CreateTokenDto, ListTokensDto } from './tokens.dto';
import { TokensService } from './tokens.service';

// Also below /api, so that a gateway needs one rule.
@ApiController('v1/tokens', 'api/v1/tokens')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  @Get()
  @Scopes('admin')
  @UseInterceptors(NextLinkInterceptor)
  async list(@OrganizationId() organizationId: string, @Query() query: ListTokensDto) {
    return serializePage(await this.tokens.list(organizationId, query), serializeToken);
  }

  @Post()
  @Scopes('admin')
  async create(@OrganizationId() organizationId: string, @Body() body: CreateTokenDto) {
    const { token, value } = await this.tokens.create(organizationId, body);
    return { ...serializeToken(token), token: value };
  }

  @Get('current')
  @AnyToken()
  async current(@CurrentToken() { organizationId, id }: CallerToken) {
    return serializeToken(await this.tokens.get(organizationId, id));
  }

  @Get(':id')
  @Scopes('admin')
  async get(@OrganizationId() organizationId: string, @Param('id') id: string) {
    return serializeToken(await this.tokens.get(organizationId, id));
  }

  @Delete(':id')
  @Scopes('admin')
  @HttpCode(204)
  revoke(@OrganizationId() organizationId: string, @Param('id') id: string) {
    return this.tokens.revoke(organizationId, id);
  }
}
