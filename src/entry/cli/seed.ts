import { type Command, InvalidArgumentError } from 'commander';
import { LARGE_JOB } from '../../platform/database/data-source';
import { BatchService } from '../../users/batch/batch.service';
import { person } from '../demo/people';
import type { ImportRow } from './import/import-file';
import { withReason } from './import/ndjson-file';
import { runImport } from './import/run-import';
import type { Shell } from './shell';
import { organizationOption, withOrganization } from './with-service';

interface SeedOptions {
  organization?: string;
  users: number;
  json?: boolean;
}

export function seedCommand(command: Command, shell: Shell): void {
  organizationOption(command, 'the organization to add them to')
    .requiredOption('--users <n>', 'number of users; existing ones are changed back', parseCount)
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', '\nExample:\n  ums seed --organization org_… --users 500')
    .action((options: SeedOptions) => seed(options, shell));
}

async function seed({ organization, users, ...output }: SeedOptions, shell: Shell): Promise<void> {
  const command = 'ums seed';
  await withOrganization(shell, { organization, command, timeouts: LARGE_JOB }, async (app, by) => {
    const options = { mode: 'upsert', atomic: false, dryRun: false } as const;
    await runImport(
      shell,
      {
        file: { rows: sampleRows(users) },
        add: async (users) => (await app.get(BatchService).run(by, { users, ...options })).answer,
        refusedFile: 'seed.refused.ndjson',
        dryRun: false,
        total: users,
        done: ({ rows }) => rows,
      },
      output,
    );
  });
}

async function* sampleRows(users: number): AsyncGenerator<ImportRow> {
  for (let n = 0; n < users; n++) {
    const input = { externalId: `E-${10_001 + n}`, ...person(n) };
    yield { line: n + 1, input, bytes: 0, refused: (reason) => withReason(JSON.stringify(input), reason) };
  }
}

function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
