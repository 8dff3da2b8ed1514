import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import type { Caller } from '../http/caller';
import { type Page, pagesOf } from '../pages/paginate';
import { type OutputOptions, print } from './output';
import { withOrganization } from './with-service';

/** Adds the subcommand `list`, which prints all items of an organization, and an example of it to `parent`. */
export function addList(
  parent: Command,
  description: string,
  list: (app: INestApplicationContext, by: Caller, page: object) => Promise<Page<object>>,
): void {
  const items = parent.name();
  const example = `\nExample:\n  ums ${items} list --organization org_…`;
  parent.addHelpText('after', example);
  parent
    .command('list')
    .description(description)
    .requiredOption('--organization <id>', `the organization that the ${items} belong to`)
    .option('--json', 'print JSON')
    .addHelpText('after', example)
    .action(async ({ organization, ...output }: OutputOptions & { organization: string }) => {
      const all: object[] = [];
      await withOrganization({ organization, command: `ums ${items} list` }, async (app, by) => {
        for await (const page of pagesOf((cursor) => list(app, by, { limit: 200, cursor })))
          all.push(...page);
      });
      print(all, output);
    });
}
