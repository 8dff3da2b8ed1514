import type { Command } from 'commander';
import { serializeGroup } from '../../groups/group/group.serializer';
import { GroupsService } from '../../groups/groups.service';
import type { Shell } from './shell';
import { addList } from './with-service';

const DESCRIPTION = 'list the groups that a directory manages in an organization, by name';

export function groupsCommand(groups: Command, shell: Shell): void {
  addList(shell, groups, DESCRIPTION, async (app, by, page) => {
    const { data, nextCursor } = await app.get(GroupsService).list(by, page);
    return { data: data.map(serializeGroup), nextCursor };
  });
}
