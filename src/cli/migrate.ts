import type { Command } from 'commander';
import { pendingMigrations } from '../database/migrate';
import { print } from './output';
import { withDatabase } from './with-database';

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('bring the schema up to date')
    .option('--status', 'only say what is pending; exits 1 if anything is')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://localhost/ums ums migrate')
    .action(async ({ status, json }: { status?: boolean; json?: boolean }) => {
      const pending = await withDatabase(pendingMigrations, { migrate: false });
      if (!status) await withDatabase(async () => {}, { migrate: true });
      const result = status ? { pending } : { migrated: pending };
      if (json) print(result, { json });
      else process.stdout.write(`${summary(pending, status)}\n`);
      if (status && pending.length > 0) process.exitCode = 1;
    });
}

function summary(pending: string[], status?: boolean): string {
  if (pending.length === 0) return 'The schema is up to date.';
  return `${status ? 'Pending; run: ums migrate' : 'Migrated'}\n${pending.map((name) => `  ${name}`).join('\n')}`;
}
