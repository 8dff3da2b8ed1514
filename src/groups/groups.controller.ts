import { Get, Param, Query } from '@nestjs/common';
import { ApiController } from '../platform/http/api-controller.decorator';
import { type Caller, CurrentCaller } from '../platform/http/caller';
import { Scopes } from '../platform/http/scopes';
import { Paged } from '../platform/pages/page';
import { serializeGroup } from './group/group.serializer';
import { GroupPageView, GroupView } from './group/group.view';
import { ListGroupsDto } from './group/group.dto';
import { GroupsService } from './groups.service';

@ApiController('api/v1/groups')
export class GroupsController {
  constructor(private readonly groups: GroupsService) {}

  /**
   * List groups
   * @remarks Returns the groups of the organization page by page, by name. A directory creates them and adds users to
   * them. They are data and grant nothing. The members of a group are listed by `GET /api/v1/users?group=…`.
   */
  @Get()
  @Scopes('users:read')
  @Paged()
  async list(@CurrentCaller() by: Caller, @Query() query: ListGroupsDto): Promise<GroupPageView> {
    const page = await this.groups.list(by, query);
    return { ...page, data: page.data.map(serializeGroup) };
  }

  /**
   * Get a group
   * @remarks Returns one group of the organization, without its members.
   */
  @Get(':id')
  @Scopes('users:read')
  async get(@CurrentCaller() by: Caller, @Param('id') id: string): Promise<GroupView> {
    return serializeGroup(await this.groups.get(by, id));
  }
}
