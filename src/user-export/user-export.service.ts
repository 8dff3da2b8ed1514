import { Injectable } from '@nestjs/common';
import { eventAsJson } from '../events/event/event.serializer';
import { UserHistory } from '../events/log/user-history';
import { serializeGroup } from '../groups/group/group.serializer';
import { GroupsService } from '../groups/groups.service';
import { type By, callerOf } from '../http/caller';
import { pagesOf } from '../pages/paginate';
import { ScimUsersService } from '../scim/users/scim-users.service';
import { UsersService } from '../users/users.service';

const GROUPS_PER_PAGE = 200;

/** Collects the data of all features about a user. */
@Injectable()
export class UserExportService {
  constructor(
    private readonly users: UsersService,
    private readonly directory: ScimUsersService,
    private readonly groups: GroupsService,
    private readonly history: UserHistory,
  ) {}

  /** The text of a `UserExportView`, piece by piece. Throws a 404 if there is no such user. */
  async export(by: By, id: string): Promise<AsyncGenerator<string>> {
    const { organizationId } = callerOf(by);
    const exportedAt = new Date();
    const user = await this.users.get(by, id);
    const directory = await this.directory.attributesOf(organizationId, id);
    const events = await this.history.of(organizationId, id);
    const groups = pagesOf((cursor) =>
      this.groups.list(organizationId, { user: id, limit: GROUPS_PER_PAGE, cursor }),
    );
    const head = JSON.stringify({ exportedAt, user, directory }).slice(0, -1);
    return documentOf(head, {
      groups: jsonOf(groups, (group) => JSON.stringify(serializeGroup(group))),
      events: jsonOf(events, eventAsJson),
    });
  }
}

/** Completes the object that `head` begins, with these lists as its last properties. */
async function* documentOf(
  head: string,
  lists: Record<string, AsyncIterable<string>>,
): AsyncGenerator<string> {
  yield head;
  for (const [name, items] of Object.entries(lists)) {
    yield `,"${name}":[`;
    yield* items;
    yield ']';
  }
  yield '}';
}

/** The items of all pages as JSON, with commas between them. */
async function* jsonOf<Item>(
  pages: AsyncIterable<Item[]>,
  serialize: (item: Item) => string,
): AsyncGenerator<string> {
  let separator = '';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.map(serialize).join(',');
    separator = ',';
  }
}
