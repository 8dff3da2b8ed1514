import { Body, Delete, Get, HttpCode, Param, Patch, Post, Put } from '@nestjs/common';
import { GroupsService } from '../../groups/groups.service';
import { Scopes } from '../../platform/http/scopes';
import type { Projection } from '../wire/projection';
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
  list(@CurrentExchange() { by, query, base }: Exchange) {
    return this.lists.list(by, query, base);
  }

  @Post(['Users/.search', '.search'])
  @Scopes('users:read')
  @HttpCode(200)
  search(@Body() body: Input, @CurrentExchange() { by, base }: Exchange) {
    return this.lists.list(by, body, base);
  }

  @Get('Users/:id')
  @Scopes('users:read')
  async get(@Param('id') id: string, @CurrentExchange() exchange: Exchange) {
    const projection = exchange.projection(USER);
    const isFresh = exchange.freshness();
    const found = await this.lists.get(exchange.by, id, projection.shows('groups'));
    if (!isFresh(found.user.version)) return this.shown(exchange, found, projection);
    exchange.setVersion(found.user.version);
    exchange.response.status(304);
  }

  @Post('Users')
  @Scopes('users:write')
  async create(@Body() body: Input, @CurrentExchange() exchange: Exchange) {
    const projection = exchange.projection(USER);
    const created = await this.users.create(exchange.by, body);
    exchange.setLocation(`/Users/${created.user.id}`);
    return this.shown(exchange, created, projection);
  }

  @Put('Users/:id')
  @Scopes('users:write')
  async replace(@Param('id') id: string, @Body() body: Input, @CurrentExchange() exchange: Exchange) {
    const projection = exchange.projection(USER);
    const replaced = await this.users.replace(exchange.by, id, body, exchange.precondition('user'));
    return this.shown(exchange, replaced, projection);
  }

  @Patch('Users/:id')
  @Scopes('users:write')
  async patch(@Param('id') id: string, @Body() body: Input, @CurrentExchange() exchange: Exchange) {
    const projection = exchange.projection(USER);
    const patched = await this.users.patch(exchange.by, id, body, exchange.precondition('user'));
    return this.shown(exchange, patched, projection);
  }

  @Delete('Users/:id')
  @Scopes('users:delete')
  @HttpCode(204)
  delete(@Param('id') id: string, @CurrentExchange() exchange: Exchange) {
    return this.users.delete(exchange.by, id, exchange.precondition('user'));
  }

  private async shown(
    exchange: Exchange,
    { user, directory, groups }: FoundUser,
    projection: Projection,
  ): Promise<object> {
    if (!groups && projection.shows('groups')) groups = await this.groups.groupsOf(exchange.by, user.id);
    exchange.setVersion(user.version);
    return projection.apply(userResource(user, directory, exchange.base, groups));
  }
}
