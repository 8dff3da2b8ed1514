import { Injectable } from '@nestjs/common';
import { UserHistory } from '../events/log/user-history';
import { serializeGroup } from '../groups/group/group.serializer';
import { GroupsService } from '../groups/groups.service';
import { type By, callerOf } from '../platform/http/caller';
import { UsersService } from '../users/users.service';
import type { NextText } from './download';

const GROUPS_PER_PAGE = 200;

/** Collects the data of all features about a user. */
@Injectable()
export class UserExportService {
  constructor(
    private readonly users: UsersService,
    private readonly groups: GroupsService,
    private readonly history: UserHistory,
  ) {}

  /** The text of a `UserExportView`, part by part. Throws a 404 if there is no such user. */
  async export(by: By, id: string): Promise<NextText> {
    const { organizationId } = callerOf(by);
    const exportedAt = new Date();
    const { directory, ...user } = await this.users.get(by, id, { include: 'directory' });
    const events = await this.history.of(organizationId, id);
    const head = JSON.stringify({ exportedAt, user, directory }).slice(0, -1);
    return inOrder([
      once(`${head},"groups":[`),
      withCommas(this.groupsOf(organizationId, id)),
      once('],"events":['),
      withCommas(events),
      once(']}'),
    ]);
  }

  /** Pages of groups as JSON. */
  private groupsOf(organizationId: string, user: string): NextText {
    let cursor: string | null | undefined;
    return async () => {
      if (cursor === null) return undefined;
      const page = await this.groups.list(organizationId, { user, limit: GROUPS_PER_PAGE, cursor });
      cursor = page.nextCursor;
      return page.data.map((group) => JSON.stringify(serializeGroup(group))).join();
    };
  }
}

const inOrder =
  (texts: NextText[]): NextText =>
  async () => {
    for (; texts.length > 0; texts.shift()) {
      const text = await texts[0]();
      if (text !== undefined) return text;
    }
    return undefined;
  };

function once(text: string): NextText {
  const parts = [text];
  return () => Promise.resolve(parts.shift());
}

function withCommas(nextText: NextText): NextText {
  let separator = '';
  return async () => {
    const text = await nextText();
    if (!text) return text;
    const item = separator + text;
    separator = ',';
    return item;
  };
}
