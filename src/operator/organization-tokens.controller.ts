import { Body, Delete, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import type { Request } from 'express';
import { ApiController } from '../http/api-controller.decorator';
import { operatorIn } from '../http/caller';
import { refuseKey } from '../http/input/idempotency-key';
import { Responses } from '../http/responses';
import { OperatorOnly } from '../http/scopes';
import { Paged } from '../pages/page';
import { NewTokenView, TokenPageView } from '../tokens/token.view';
import { CreateTokenDto, ListTokensDto } from '../tokens/tokens.dto';
import { TokensService } from '../tokens/tokens.service';
import { OrganizationsService } from '../organizations/organizations.service';

/** The tokens of an organization, for the operator of the service. */
@ApiController('v1/organizations/:id/tokens', 'api/v1/organizations/:id/tokens')
@OperatorOnly()
export class OrganizationTokensController {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly tokens: TokensService,
  ) {}

  /**
   * List the tokens of an organization
   * @remarks Returns the tokens page by page, newest first, including expired and revoked ones.
   */
  @Get()
  @Paged()
  async listTokens(
    @Param('id') id: string,
    @Query() query: ListTokensDto,
    @Req() request: Request,
  ): Promise<TokenPageView> {
    await this.organizations.get(id);
    return this.tokens.list(operatorIn(id, request), query);
  }

  /**
   * Create a token for an organization
   * @remarks Only this response contains the token's value. The `rateLimit` may be up to 100,000. A token can also be
   * created while the organization is suspended, and works once it is resumed; a 409 once it is being deleted.
   */
  @Post()
  @Responses({ failures: [409] })
  async createToken(
    @Param('id') id: string,
    @Body() body: CreateTokenDto,
    @Req() request: Request,
  ): Promise<NewTokenView> {
    refuseKey(request);
    const { token, value } = await this.tokens.create(operatorIn(id, request), body);
    return { ...token, token: value };
  }

  /**
   * Revoke a token of an organization
   * @remarks Takes effect immediately: the next request with the token is a 401. Revoking twice succeeds.
   */
  @Delete(':tokenId')
  @HttpCode(204)
  revokeToken(
    @Param('id') id: string,
    @Param('tokenId') tokenId: string,
    @Req() request: Request,
  ): Promise<void> {
    return this.tokens.revoke(operatorIn(id, request), tokenId);
  }
}
