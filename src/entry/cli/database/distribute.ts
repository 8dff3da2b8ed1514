import type { Command } from 'commander';
import { nodesOf } from '../../../platform/database/citus/cluster';
import type { Distribution } from '../../../platform/database/citus/distribute';
import { openDatabase, UNLIMITED } from '../../../platform/database/data-source';
import { distribute } from '../../../platform/database/migrate';
import { schema } from '../../../schema';
import { readConfig } from '../../process/config';
import { print } from '../output';
import { counted } from '../progress';
import type { Shell } from '../shell';
import { requireMigrated } from '../with-service';

interface DistributeArguments {
  dryRun?: boolean;
  schema?: string;
  json?: boolean;
}

export function distributeCommand(command: Command, shell: Shell): void {
  command
    .option('--dry-run', 'only print the steps')
    .option('--schema <name>', 'the schema of the tables inside a host application')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://coordinator/ums ums distribute --dry-run')
    .action(async ({ dryRun, json, ...options }: DistributeArguments) => {
      const config = readConfig(shell.env);
      if (config.databaseUrl === undefined)
        throw new Error(
          'The embedded database cannot be distributed. Set DATABASE_URL to the coordinator of a Citus cluster.',
        );
      const tables = { ...schema, schema: options.schema };
      const { dataSource, close } = await openDatabase({ ...config, migrate: false }, tables, UNLIMITED);
      try {
        await nodesOf(dataSource); // a worker or a database without Citus has nothing to migrate
        await requireMigrated(dataSource);
        const startedAt = performance.now();
        const distribution = await distribute(dataSource, {
          dryRun,
          onStep: (step, steps) =>
            shell.stderr.write(`${steps.indexOf(step) + 1}/${steps.length} ${describe(step)}\n`),
        });
        const { steps, nodes } = distribution;
        if (json) print(shell, { [dryRun ? 'planned' : 'done']: steps, nodes }, { json });
        else shell.stdout.write(`${summary(distribution, dryRun, performance.now() - startedAt)}\n`);
      } finally {
        await close();
      }
    });
}

const describe = ({ does, rows }: Distribution['steps'][number]) =>
  rows === undefined ? does : `${does} (${counted(rows, 'row')})`;

function summary({ steps, nodes }: Distribution, dryRun: boolean | undefined, ms: number): string {
  if (steps.length === 0) return `The database is already distributed over ${nodes.join(', ')}.`;
  if (!dryRun) return `Distributed over ${nodes.join(', ')} in ${(ms / 1000).toFixed(1)} s.`;
  return [
    `Would distribute over ${nodes.join(', ')}. Requests wait until it is done.`,
    ...steps.map((step) => `  ${describe(step)}`),
  ].join('\n');
}
