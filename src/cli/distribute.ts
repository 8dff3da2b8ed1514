import type { Command } from 'commander';
import { UNLIMITED } from '../database/data-source';
import { distribute } from '../database/migrate';
import { print } from './output';
import { withDatabase } from './with-database';

export function addDistribute(program: Command): void {
  program
    .command('distribute')
    .description('distribute the tables over the nodes of a Citus cluster')
    .option('--dry-run', 'only print what it would do')
    .option('--json', 'print JSON')
    .action(async ({ dryRun, json }: { dryRun?: boolean; json?: boolean }) => {
      const steps = await withDatabase((dataSource) => distribute(dataSource, { dryRun }), UNLIMITED);
      print(steps, { json });
    });
}
