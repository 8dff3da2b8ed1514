import type { Command } from 'commander';
import { serializeGroup } from '../groups/group/group.serializer';
import { GroupsService } from '../groups/groups.service';
import { systemCaller } from '../http/caller';
import { type OutputOptions, print } from './output';
import { allOf, requireOrganization, withService } from './with-service';

export function groupsCommand(groups: Command): void {
  groups.addHelpText('after', '\nExample:\n  ums groups list --organization org_…');

  groups
    .command('list')
    .description('list the groups that a directory manages in an organization, by name')
    .requiredOption('--organization <id>', 'the organization that the groups belong to')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  ums groups list --organization org_…')
    .action(async ({ organization, ...output }: OutputOptions & { organization: string }) => {
      const by = systemCaller(organization, 'cli', 'ums groups list');
      const all = await withService(async (app) => {
        await requireOrganization(app, organization);
        return allOf((cursor) => app.get(GroupsService).list(by, { limit: 200, cursor }));
      });
      print(all.map(serializeGroup), output);
    });
}
