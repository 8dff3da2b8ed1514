import { closeSync, openSync, writeFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Fault } from '../http/fault';
import type { Outcome } from '../users/import/import-rules';
import { Interruption } from './interruption';
import { messageOf } from '../process/failure';
import { printable } from '../process/printable';
import { optimizeForSize } from '../process/v8';
import { count, Progress } from './progress';
import type { Row } from './rows';

const BATCH_ROWS = 1_000;
/** Of large rows fewer go into a batch, so that memory does not depend on what is in a file. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** Of so many refused rows the reasons are told at once; all are in the file. */
const TOLD = 5;

export interface ImportJob {
  rows: AsyncIterable<Row>;
  add(rows: unknown[]): Promise<Outcome[]>;
  /** Where refused rows go; the file is made when the first one is. */
  refusedFile: string;
  dryRun: boolean;
  /** How much there is to do, and has been done. */
  total?: number;
  done(summary: ImportSummary): number;
  /** Called when a signal asks to stop, to end a read that may take for ever. */
  stop(): void;
}

/** What an import did, or with `dryRun` would do. */
export interface ImportSummary {
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  refused: number;
  /** Null while no row was refused. */
  refusedFile: string | null;
  dryRun: boolean;
  /** Whether it came to the end. */
  complete: boolean;
  seconds: number;
}

/** Runs an import to its end, to its failure or to a signal; says how far it came and sets the exit code. */
export async function runImport(job: ImportJob, { json }: { json?: boolean }): Promise<void> {
  const summary: ImportSummary = {
    rows: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    refused: 0,
    refusedFile: null,
    dryRun: job.dryRun,
    complete: false,
    seconds: 0,
  };
  optimizeForSize();
  const progress = new Progress(job.total);
  const refused = new RefusedRows(job.refusedFile);
  const interruption = new Interruption(() => job.stop());
  let failure: unknown;
  try {
    for await (const batch of batches(job.rows)) {
      const outcomes = await outcomesOf(batch, job);
      summary.rows += batch.length;
      for (const outcome of outcomes) summary[Array.isArray(outcome) ? 'refused' : outcome]++;
      refused.write(batch, outcomes);
      progress.show(summary.rows, job.done(summary));
      await nextTurn(); // in which a signal is heard: the embedded database leaves the event loop none
      if (interruption.signal) break;
    }
    summary.complete = !interruption.signal;
  } catch (error) {
    failure = error; // of a read that a signal has ended, too
  }
  interruption.end();
  progress.end();
  summary.seconds = Math.round(progress.seconds * 10) / 10;
  summary.refusedFile = refused.close();

  process.stdout.write(json ? `${JSON.stringify(summary)}\n` : `${shown(summary)}\n`);
  if (summary.refused > 0) tell(refused.told, summary);
  if (!summary.complete) {
    const why = interruption.signal ? `Stopped by ${interruption.signal}.` : messageOf(failure);
    const stays = 'What was committed stays; to go on, run the same command again.\n';
    process.stderr.write(`${why}\n${summary.rows > 0 && !job.dryRun ? stays : ''}`);
  }
  if (interruption.signal) process.exitCode = interruption.exitCode;
  else if (!summary.complete || summary.refused > 0) process.exitCode = 1;
}

async function* batches(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let batch: Row[] = [];
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

/** What became of each row, those that could not be read included. */
async function outcomesOf(batch: Row[], job: ImportJob): Promise<Outcome[]> {
  const judged = await job.add(batch.filter(({ faults }) => !faults).map(({ input }) => input));
  return batch.map(({ faults }) => faults ?? judged.shift()!);
}

/** The refused rows, each as a line of JSON with its reasons. They are people, so the file is its owner's alone. */
class RefusedRows {
  /** The first few, for a person. */
  readonly told: string[] = [];
  private file?: number;

  constructor(private readonly path: string) {}

  write(batch: Row[], outcomes: Outcome[]): void {
    let lines = '';
    batch.forEach(({ line, input }, i) => {
      const errors = outcomes[i];
      if (!Array.isArray(errors)) return;
      lines += `${JSON.stringify({ line, errors, input })}\n`;
      if (this.told.length < TOLD) this.told.push(`  line ${line}: ${errors.map(reason).join(', ')}`);
    });
    if (!lines) return;
    this.file ??= openSync(this.path, 'w', 0o600);
    writeFileSync(this.file, lines);
  }

  /** The path, if there is a file. */
  close(): string | null {
    if (this.file === undefined) return null;
    closeSync(this.file);
    return this.path;
  }
}

const reason = ({ field, message }: Fault) => printable(`${field} ${message}`);

function tell(told: string[], { refused, refusedFile }: ImportSummary): void {
  const more = refused > told.length ? [`  and ${count(refused - told.length)} more`] : [];
  const next = `The refused rows and their reasons are in ${refusedFile}. Correct them and run the same command again: what is in is left as it is.`;
  process.stderr.write(`${['Refused:', ...told, ...more, next].join('\n')}\n`);
}

function shown(summary: ImportSummary): string {
  const { rows, created, updated, unchanged, refused, seconds, dryRun } = summary;
  const people = `${count(created)} created, ${count(updated)} updated, ${count(unchanged)} unchanged, ${count(refused)} refused`;
  return dryRun
    ? `Nothing was written. Of ${count(rows)} rows these would be: ${people}.`
    : `${count(rows)} rows in ${seconds} s: ${people}.`;
}
