import { Body, Delete, Get, HttpCode, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiController } from '../platform/http/api-controller.decorator';
import { operatorIn } from '../platform/http/caller';
import { refuseKey } from '../platform/http/input/idempotency-key';
import { locationOf } from '../platform/http/location';
import { Responses } from '../platform/http/responses';
import { OperatorOnly } from '../platform/http/scopes';
import { Paged } from '../platform/pages/page';
import { OrganizationPageView, OrganizationView } from '../organizations/organization.view';
import {
  CreateOrganizationDto,
  ListOrganizationsDto,
  UpdateOrganizationDto,
} from '../organizations/organizations.dto';
import { OrganizationsService } from '../organizations/organizations.service';
import { NewTokenView, TokenPageView } from '../tokens/token/token.view';
import { CreateTokenDto, ListTokensDto } from '../tokens/token/token.dto';
import { TokensService } from '../tokens/tokens.service';

/** Organizations and their tokens, for the operator of the service. */
@ApiController('v1/organizations', 'api/v1/organizations')
@OperatorOnly()
export class OrganizationsController {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly tokens: TokensService,
  ) {}

  /**
   * List organizations
   * @remarks Returns the organizations page by page, newest first. With `externalId` it returns the one that has it.
   */
  @Get()
  @Paged()
  list(@Query() query: ListOrganizationsDto): Promise<OrganizationPageView> {
    return this.organizations.page(query);
  }

  /**
   * Create an organization
   * @remarks Creates an organization without users and tokens. An `externalId` makes the call safe to repeat: the
   * second one is a 409, and the list finds the organization.
   */
  @Post()
  @Responses({ headers: ['Location'], failures: [409] })
  async create(
    @Body() { name, externalId }: CreateOrganizationDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OrganizationView> {
    const organization = await this.organizations.create(name, { externalId });
    response.setHeader('Location', locationOf(request, organization.id));
    return organization;
  }

  /**
   * Get an organization
   * @remarks Returns one organization.
   */
  @Get(':id')
  get(@Param('id') id: string): Promise<OrganizationView> {
    return this.organizations.get(id);
  }

  /**
   * Change an organization
   * @remarks Changes only the fields in the body. `suspended` takes effect with the next request: every access with a
   * token of the organization is a 403, and nothing is sent to its webhooks until it is resumed. Nothing is lost.
   */
  @Patch(':id')
  @Responses({ failures: [409] })
  update(
    @Param('id') id: string,
    @Body() body: UpdateOrganizationDto,
    @Req() request: Request,
  ): Promise<OrganizationView> {
    return this.organizations.update(operatorIn(id, request), body);
  }

  /**
   * Delete an organization
   * @remarks Deletes a suspended organization with everything in it: tokens, users, deleted users, groups, events and
   * webhooks. Cannot be undone. The response comes when all is gone, which takes minutes for a million users; if the
   * connection breaks, the deletion goes on.
   */
  @Delete(':id')
  @HttpCode(204)
  @Responses({ failures: [409] })
  delete(@Param('id') id: string): Promise<void> {
    return this.organizations.delete(id);
  }

  /**
   * List the tokens of an organization
   * @remarks Returns the tokens page by page, newest first, including expired and revoked ones.
   */
  @Get(':id/tokens')
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
  @Post(':id/tokens')
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
  @Delete(':id/tokens/:tokenId')
  @HttpCode(204)
  revokeToken(
    @Param('id') id: string,
    @Param('tokenId') tokenId: string,
    @Req() request: Request,
  ): Promise<void> {
    return this.tokens.revoke(operatorIn(id, request), tokenId);
  }
}
