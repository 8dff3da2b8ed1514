import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Command } from 'commander';
import { LARGE_JOB } from '../../../platform/database/data-source';
import { REFERENCED } from '../../../users/batch/batch-failures';
import type { BatchDeleteAnswerView } from '../../../users/deleted/batch/batch-delete.view';
import { UsersService } from '../../../users/users.service';
import { messageOf } from '../../process/failure';
import { printable } from '../../process/log/pretty-log';
import { Interruption } from '../interruption';
import { openInput } from '../import/input';
import { firstRefused, MAX_SHOWN } from '../import/refused-rows';
import { addSubcommand, type OutputOptions } from '../output';
import { count, counted, Progress } from '../progress';
import type { Shell } from '../shell';
import { organizationOption, withOrganization } from '../with-service';
import { batchesOf, type Line } from './ids-file';

interface Options extends OutputOptions {
  organization?: string;
  ids: string;
  dryRun?: boolean;
}

interface Summary {
  ids: number;
  deleted: number;
  refused: number;
  dryRun: boolean;
  /** Whether the command reached the end of its input. */
  complete: boolean;
  seconds: number;
}

const REASONS: Record<number, string> = {
  404: 'there is no such user, or it has been deleted already',
  409: `the user ${REFERENCED.message}`,
};

export function addDelete(users: Command, shell: Shell): void {
  const command = addSubcommand(users, 'delete', 'delete many users', '--ids left.txt --dry-run');
  organizationOption(command, 'the organization of the users')
    .requiredOption('--ids <file>', 'file with the ID of a user in each line; - for standard input')
    .option('--dry-run', 'only report what would be deleted')
    .addHelpText(
      'after',
      `
This writes a file with the IDs of all users, or of some with --role or --active:
  ums users export --columns id --output ids.csv
Blank lines and a first line "id" are skipped.

A line that is refused does not affect the others; the first five are shown with
the reasons. Each batch of 500 is one transaction: if it is interrupted, none of
its users is deleted. Deleted users can be restored until they are purged.

Exits with 1 if a line was refused, with 130 after Ctrl-C. To resume, run the
command again: it refuses the lines of users who have been deleted already.`,
    )
    .action((options: Options) => deleteUsers(options, shell));
}

async function deleteUsers(options: Options, shell: Shell): Promise<void> {
  const { organization, dryRun = false } = options;
  const { source, total } = openInput(options.ids, shell.stdin);
  const command = 'ums users delete';
  await withOrganization(shell, { organization, command, timeouts: LARGE_JOB }, async (app, by) => {
    const users = app.get(UsersService);
    const summary: Summary = { ids: 0, deleted: 0, refused: 0, dryRun, complete: false, seconds: 0 };
    const progress = new Progress(total, shell.stderr, 'ID');
    const firstShown: string[] = [];
    const interruption = new Interruption(() => source.destroy());
    let failure: unknown;
    try {
      for await (const lines of batchesOf(source)) {
        const refused = await deleteLines(lines, (ids) =>
          users.batchDelete(by, { users: ids.map((id) => ({ id })), dryRun }),
        );
        summary.ids += lines.length;
        summary.deleted += lines.length - refused.length;
        summary.refused += refused.length;
        for (const { line, id, fault } of refused.slice(0, MAX_SHOWN - firstShown.length))
          firstShown.push(`line ${line}: ${printable(id)}: ${fault}`);
        progress.show(summary.ids, lines.at(-1)!.end);
        await nextTurn(); // lets signals be handled, because the embedded database keeps the event loop busy
        if (interruption.signal) break;
      }
      summary.complete = !interruption.signal;
    } catch (error) {
      failure = error; // also set when a signal aborted the read
    }
    interruption.end();
    progress.end();
    summary.seconds = Math.round(progress.seconds * 10) / 10;

    if (!summary.complete) {
      const reason = interruption.signal ? `Stopped by ${interruption.signal}.` : messageOf(failure);
      const done = summary.deleted > 0 && !dryRun ? ' The users deleted so far stay deleted.' : '';
      shell.stderr.write(`${reason}${done}\n`);
    }
    if (options.json) shell.stdout.write(`${JSON.stringify(summary)}\n`);
    else if (summary.complete || summary.ids > 0) shell.stdout.write(describe(summary));
    if (summary.refused > 0) shell.stderr.write(firstRefused(firstShown, summary.refused));
    if (interruption.signal) shell.exitCode = interruption.exitCode;
    else if (!summary.complete || summary.refused > 0) shell.exitCode = 1;
  });
}

/** Deletes the users of these lines, and returns those lines that could not be deleted, with their faults. */
async function deleteLines(
  lines: readonly Line[],
  deleteIds: (ids: string[]) => Promise<BatchDeleteAnswerView>,
): Promise<Line[]> {
  const named = lines.filter(({ fault }) => fault === undefined);
  const { results } = named.length > 0 ? await deleteIds(named.map(({ id }) => id)) : { results: [] };
  const faults = new Map(results.map(({ index, status }) => [named[index], REASONS[status]]));
  return lines
    .map((line) => ({ ...line, fault: line.fault ?? faults.get(line) }))
    .filter(({ fault }) => fault !== undefined);
}

const describe = ({ ids, deleted, refused, seconds, dryRun }: Summary) =>
  dryRun
    ? `Dry run, nothing was deleted. Of ${counted(ids, 'ID')}, ${count(deleted)} would be deleted, ${count(refused)} refused.\n`
    : `${counted(ids, 'ID')} in ${seconds} s: ${count(deleted)} deleted, ${count(refused)} refused.\n`;
