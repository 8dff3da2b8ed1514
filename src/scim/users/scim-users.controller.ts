import { Body, Delete, Get, HttpCode, Param, Patch, Post, Put } from '@nestjs/common';
import { GroupsService } from '../../groups/groups.service';
import { type Caller, CurrentCaller } from '../../http/caller';
import { Scopes } from '../../http/scopes';
import { Projection } from '../wire/projection';
import { listQueryOf, listResponse } from '../wire/list-query';
import { USER } from '../schema/user.schema';
import { userResource } from './user-resource';
import { CurrentExchange, Exchange } from '../wire/exchange';
import { ScimController } from '../wire/scim-controller.decorator';
import { ScimUserList } from './scim-user-list';
import type { FoundUser } from './scim-user-rows';
import { ScimUsersService } from './scim-users.service';

type Input = Record<string, unknown>;

@ScimController()
export class ScimUsersController {
  constructor(
    private readonly users: ScimUsersService,
    private readonly lists: ScimUserList,
    private readonly groups: GroupsService,
  ) {}

  @Get('Users')
  @Scopes('users:read')
  list(@CurrentCaller() by: Caller, @CurrentExchange() { query, base }: Exchange) {
    return this.page(by, query, base);
  }

  @Post(['Users/.search', '.search'])
  @Scopes('users:read')
  @HttpCode(200)
  search(@CurrentCaller() by: Caller, @Body() body: Input, @CurrentExchange() { base }: Exchange) {
    return this.page(by, body, base);
  }

  @Get('Users/:id')
  @Scopes('users:read')
  async get(@CurrentCaller() by: Caller, @Param('id') id: string, @CurrentExchange() exchange: Exchange) {
    const projection = exchange.projection(USER);
    const isFresh = exchange.freshness();
    const found = await this.lists.get(by, id, projection.shows('groups'));
    if (!isFresh(found.user.version)) return this.shown(by, found, projection, exchange);
    exchange.setVersion(found.user.version);
    exchange.setStatus(304);
  }

  @Post('Users')
  @Scopes('users:write')
  async create(@CurrentCaller() by: Caller, @Body() body: Input, @CurrentExchange() exchange: Exchange) {
    const projection = exchange.projection(USER);
    const created = await this.users.create(by, body);
    exchange.setLocation(`/Users/${created.user.id}`);
    return this.shown(by, created, projection, exchange);
  }

  @Put('Users/:id')
  @Scopes('users:write')
  async replace(
    @CurrentCaller() by: Caller,
    @Param('id') id: string,
    @Body() body: Input,
    @CurrentExchange() exchange: Exchange,
  ) {
    const projection = exchange.projection(USER);
    const replaced = await this.users.replace(by, id, body, exchange.precondition('user'));
    return this.shown(by, replaced, projection, exchange);
  }

  @Patch('Users/:id')
  @Scopes('users:write')
  async patch(
    @CurrentCaller() by: Caller,
    @Param('id') id: string,
    @Body() body: Input,
    @CurrentExchange() exchange: Exchange,
  ) {
    const projection = exchange.projection(USER);
    const patched = await this.users.patch(by, id, body, exchange.precondition('user'));
    return this.shown(by, patched, projection, exchange);
  }

  @Delete('Users/:id')
  @Scopes('users:delete')
  @HttpCode(204)
  delete(@CurrentCaller() by: Caller, @Param('id') id: string, @CurrentExchange() exchange: Exchange) {
    return this.users.delete(by, id, exchange.precondition('user'));
  }

  private async shown(
    by: Caller,
    { user, directory, groups }: FoundUser,
    projection: Projection,
    exchange: Exchange,
  ): Promise<object> {
    if (!groups && projection.shows('groups')) groups = await this.groups.groupsOf(by, user.id);
    exchange.setVersion(user.version);
    return projection.apply(userResource(user, directory, exchange.base, groups));
  }

  private async page(by: Caller, input: Input, base: string): Promise<string> {
    const projection = new Projection(USER, input);
    const query = listQueryOf(USER, input);
    const page = await this.lists.list(by, query, projection.shows('groups'), ({ user, directory, groups }) =>
      projection.apply(userResource(user, directory, base, groups)),
    );
    return listResponse(query, page);
  }
}
