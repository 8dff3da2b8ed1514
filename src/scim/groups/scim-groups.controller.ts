import { Body, Delete, Get, HttpCode, Param, Patch, Post, Put } from '@nestjs/common';
import type { GroupRecord } from '../../groups/group/group.serializer';
import { GroupsService } from '../../groups/groups.service';
import { BodyLimit, MAX_BODY_LIMIT } from '../../platform/http/input/body-of-route';
import { Scopes } from '../../platform/http/scopes';
import { TokenWindows } from '../../platform/rate-limit/token-windows';
import type { Projection } from '../wire/projection';
import { groupStepsOf, groupOf } from './group-body';
import { GROUP } from '../schema/group.schema';
import { CurrentExchange, Exchange } from '../wire/exchange';
import { ScimController } from '../wire/scim-controller.decorator';
import { groupResource } from './group-resource';
import { ScimGroupList } from './scim-group-list';

type Input = Record<string, unknown>;

/** The members that a change may add or remove for each request that it counts as: each writes an event. */
const MEMBERS_PER_REQUEST = 100;

const requestsFor = (movedMembers: number) => Math.ceil(movedMembers / MEMBERS_PER_REQUEST);

@ScimController()
export class ScimGroupsController {
  constructor(
    private readonly groups: GroupsService,
    private readonly lists: ScimGroupList,
    private readonly windows: TokenWindows,
  ) {}

  @Get('Groups')
  @Scopes('users:read')
  list(@CurrentExchange() { by, query, base }: Exchange) {
    return this.lists.list(by, query, base);
  }

  @Post('Groups/.search')
  @Scopes('users:read')
  @HttpCode(200)
  search(@Body() body: Input, @CurrentExchange() { by, base }: Exchange) {
    return this.lists.list(by, body, base);
  }

  @Get('Groups/:id')
  @Scopes('users:read')
  async get(@Param('id') id: string, @CurrentExchange() exchange: Exchange) {
    const projection = exchange.projection(GROUP);
    const isFresh = exchange.freshness();
    const group = await this.groups.get(exchange.by, id);
    if (!isFresh(group.version)) return this.shown(exchange, group, projection);
    exchange.setVersion(group.version);
    exchange.response.status(304);
  }

  @Post('Groups')
  @Scopes('users:write')
  @BodyLimit(MAX_BODY_LIMIT)
  async create(@Body() body: Input, @CurrentExchange() exchange: Exchange) {
    const projection = exchange.projection(GROUP);
    const { members, ...fields } = groupOf(body);
    const group = await this.groups.create(exchange.by, fields, members);
    await this.windows.addCost(exchange, requestsFor(group.memberCount));
    exchange.setLocation(`/Groups/${group.id}`);
    return this.shown(exchange, group, projection);
  }

  @Put('Groups/:id')
  @Scopes('users:write')
  @BodyLimit(MAX_BODY_LIMIT)
  async replace(@Param('id') id: string, @Body() body: Input, @CurrentExchange() exchange: Exchange) {
    const projection = exchange.projection(GROUP);
    const { displayName, externalId, members } = groupOf(body);
    const group = await this.groups.change(
      exchange.by,
      id,
      [
        { kind: 'set', attribute: 'displayName', value: displayName },
        { kind: 'set', attribute: 'externalId', value: externalId },
        ...(members ? [{ kind: 'replaceShown', members } as const] : []),
      ],
      exchange.precondition('group'),
    );
    await this.windows.addCost(exchange, requestsFor(group.movedMembers));
    return this.shown(exchange, group, projection);
  }

  /** The response has no body unless the request asks for attributes, because a group may have very many members. */
  @Patch('Groups/:id')
  @Scopes('users:write')
  @BodyLimit(MAX_BODY_LIMIT)
  async patch(@Param('id') id: string, @Body() body: Input, @CurrentExchange() exchange: Exchange) {
    const projection = exchange.projection(GROUP);
    const group = await this.groups.change(
      exchange.by,
      id,
      groupStepsOf(body),
      exchange.precondition('group'),
    );
    await this.windows.addCost(exchange, requestsFor(group.movedMembers));
    if (!projection.isDefault) return this.shown(exchange, group, projection);
    exchange.setVersion(group.version);
    exchange.response.status(204);
  }

  @Delete('Groups/:id')
  @Scopes('users:delete')
  @HttpCode(204)
  delete(@Param('id') id: string, @CurrentExchange() exchange: Exchange) {
    return this.groups.delete(exchange.by, id, exchange.precondition('group'));
  }

  /** Reads members only if they are shown: directories ask for large groups without them. */
  private async shown(exchange: Exchange, group: GroupRecord, projection: Projection): Promise<object> {
    const members = projection.shows('members')
      ? (await this.groups.membersOf(exchange.by, [group.id])).get(group.id)
      : undefined;
    exchange.setVersion(group.version);
    return projection.apply(groupResource(group, members, exchange.base));
  }
}
