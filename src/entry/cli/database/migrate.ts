import type { Command } from 'commander';
import { type Config, readConfig } from '../../process/config';
import { migrateDatabase, openDatabase } from '../../../platform/database/data-source';
import { pendingMigrations } from '../../../platform/database/migrate';
import { schema } from '../../../schema';
import { print } from '../output';
import type { Shell } from '../shell';

export function migrateCommand(command: Command, shell: Shell): void {
  command
    .option('--status', 'only list pending migrations; exits with 1 if there are any')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://localhost/ums ums migrate')
    .action(async ({ status, json }: { status?: boolean; json?: boolean }) => {
      const config = readConfig(shell.env);
      const names = status ? await pending(config) : await migrateDatabase(config, schema);
      if (json) print(shell, status ? { pending: names } : { migrated: names }, { json });
      else shell.stdout.write(`${summary(names, status)}\n`);
      if (status && names.length > 0) shell.exitCode = 1;
    });
}

async function pending(config: Config): Promise<string[]> {
  const database = await openDatabase({ ...config, migrate: false }, schema);
  return pendingMigrations(database.dataSource).finally(() => database.close());
}

function summary(names: string[], status?: boolean): string {
  if (names.length === 0) return 'The schema is up to date.';
  return `${status ? 'Pending; run: ums migrate' : 'Migrated'}\n${names.map((name) => `  ${name}`).join('\n')}`;
}
