import type { Command } from 'commander';
import { serializeGroup } from '../groups/group/group.serializer';
import type { GroupView } from '../groups/group/group.view';
import { GroupsService } from '../groups/groups.service';
import { systemCaller } from '../http/caller';
import { print } from './output';
import { requireOrganization, withService } from './with-service';

interface ListOptions {
  organization: string;
  json?: boolean;
}

export function groupsCommand(groups: Command): void {
  groups.addHelpText('after', '\nExample:\n  ums groups list --organization org_…');

  groups
    .command('list')
    .description('list the groups that a directory manages in an organization, by name')
    .requiredOption('--organization <id>', 'the organization that the groups belong to')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  ums groups list --organization org_…')
    .action(async ({ organization, ...output }: ListOptions) => {
      const all = await withService(async (app) => {
        await requireOrganization(app, organization);
        return listAll(app.get(GroupsService), organization);
      });
      print(all, output);
    });
}

async function listAll(groups: GroupsService, organizationId: string): Promise<GroupView[]> {
  const by = systemCaller(organizationId, 'cli', 'ums groups list');
  const all: GroupView[] = [];
  let cursor: string | undefined;
  do {
    const { data, nextCursor } = await groups.list(by, { limit: 200, cursor });
    all.push(...data.map(serializeGroup));
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}
