import { setImmediate as nextTurn } from 'node:timers/promises';
import { isObject } from '../../../platform/http/input/checks';
import type { BatchAnswerView } from '../../../users/batch/batch.view';
import { messageOf } from '../../process/failure';
import { Interruption } from '../interruption';
import { count, counted, Progress } from '../progress';
import type { Shell } from '../shell';
import { IGNORED_FIELDS, type ImportFile, type ImportRow } from './import-file';
import { firstRefused, RefusedRows } from './refused-rows';

/** The limits of a batch of the API. */
const BATCH_ROWS = 500;
const BATCH_BYTES = 1024 * 1024;

export interface ImportJob {
  file: ImportFile;
  /** Writes a batch, or in a dry run only reports what would happen. */
  add(rows: unknown[]): Promise<BatchAnswerView>;
  /** The path of the file for refused rows, which is created with the first one. */
  refusedFile: string;
  dryRun: boolean;
  /** The size of the whole job, in the unit of `done`; unknown for a pipe. */
  total?: number;
  done(summary: ImportSummary): number;
  /** Called on a signal, to abort a read that might otherwise never return. */
  stop?(): void;
}

/** The result of an import, or of its rehearsal with `dryRun`, before its first batch. */
const emptySummary = (dryRun: boolean) => ({
  rows: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  refused: 0,
  /** Null if no file was created. */
  refusedFile: null as string | null,
  dryRun,
  /** Whether the import reached the end of its input. */
  complete: false,
  seconds: 0,
});

type ImportSummary = ReturnType<typeof emptySummary>;

/** Runs an import until it ends, fails or receives a signal, then prints the summary and sets the exit code. */
export async function runImport(shell: Shell, job: ImportJob, { json }: { json?: boolean }): Promise<void> {
  const summary = emptySummary(job.dryRun);
  const progress = new Progress(job.total, shell.stderr);
  const refused = new RefusedRows(job.refusedFile, job.file);
  const interruption = new Interruption(job.stop);
  let failure: unknown;
  try {
    for await (const batch of batches(job.file.rows)) {
      const readable = batch.filter(({ faults }) => !faults);
      const answer =
        readable.length > 0
          ? await job.add(readable.map(({ input }) => withoutIgnoredFields(input)))
          : undefined;
      const faults = new Map(readable.map((row, i) => [row, answer!.results[i].errors]));
      summary.rows += batch.length;
      for (const outcome of ['created', 'updated', 'unchanged'] as const)
        summary[outcome] += answer?.counts[outcome] ?? 0;
      const faultsOf = (row: ImportRow) => row.faults ?? faults.get(row);
      summary.refused += batch.filter(faultsOf).length;
      refused.write(batch, faultsOf);
      progress.show(summary.rows, job.done(summary));
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
  summary.refusedFile = refused.close();

  if (!summary.complete) {
    const reason = interruption.signal ? `Stopped by ${interruption.signal}.` : messageOf(failure);
    const resume =
      'The rows imported so far are committed. To resume, run the command again with --mode upsert.\n';
    shell.stderr.write(`${reason}\n${summary.rows > 0 && !job.dryRun ? resume : ''}`);
  }
  if (json) shell.stdout.write(`${JSON.stringify(summary)}\n`);
  else if (summary.complete || summary.rows > 0) shell.stdout.write(`${describeSummary(summary)}\n`);
  if (summary.refused > 0) reportRefused(shell, refused, summary, job.file);
  if (interruption.signal) shell.exitCode = interruption.exitCode;
  else if (!summary.complete || summary.refused > 0) shell.exitCode = 1;
}

async function* batches(rows: AsyncIterable<ImportRow>): AsyncGenerator<ImportRow[]> {
  let batch: ImportRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    batch.push(row);
    bytes += row.bytes;
    if (batch.length < BATCH_ROWS && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

function withoutIgnoredFields(row: unknown): unknown {
  if (!isObject(row)) return row;
  return Object.fromEntries(Object.entries(row).filter(([name]) => !IGNORED_FIELDS.includes(name)));
}

function reportRefused(
  { stderr }: Shell,
  { firstShown, fields }: RefusedRows,
  { refused, refusedFile }: ImportSummary,
  file: ImportFile,
): void {
  stderr.write(`${firstRefused(firstShown, refused)}${file.adviceOn?.(fields) ?? ''}`);
  if (!refusedFile) return;
  stderr.write(
    `All refused rows and their reasons are in ${refusedFile}. Fix these rows there and import that file.\n`,
  );
}

function describeSummary(summary: ImportSummary): string {
  const { rows, created, updated, unchanged, refused, seconds, dryRun } = summary;
  const counts = `${count(created)} created, ${count(updated)} updated, ${count(unchanged)} unchanged, ${count(refused)} refused`;
  return dryRun
    ? `Dry run, nothing was written. ${counted(rows, 'row')} would result in: ${counts}.`
    : `${counted(rows, 'row')} in ${seconds} s: ${counts}.`;
}
