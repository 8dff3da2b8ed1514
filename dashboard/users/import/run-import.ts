import { ApiError, type BatchAnswer, type Client } from '../../../client/index.ts';
import type { CsvRow } from '../../../csv/csv-file.ts';
import { keyOfTarget, type Target } from '../../../csv/targets.ts';
import { isUnanswered } from '../../ui/faults.ts';
import { patiently } from '../../ui/patiently.ts';
import {
  type CsvHead,
  type Element,
  elementOf,
  type Identity,
  keyOf,
  openFile,
  type RowFault,
} from './csv-file.ts';
import { type ImportProgress, noProgress } from './progress.ts';
import { faultsByElement, inFile, isRefusalOfElements, repeated } from './refusals.ts';

/** What happens to a row whose user exists. */
export interface ImportRules {
  mode: 'create' | 'upsert';
  /** Only with `upsert`. Default: email. */
  by?: Identity;
}

export interface ImportOptions extends ImportRules {
  dryRun: boolean;
  /** Aborts a request that is on its way, which an import carries out all the same. */
  signal: AbortSignal;
  /** Ends the run, with its reason, when what is on its way has been answered. */
  stopping: AbortSignal;
  onProgress(progress: ImportProgress): void;
  /** Called after a failure that ends the import unless it is tried again. Rejects to end it. */
  onFailure(error: unknown): Promise<void>;
}

type Sent = Extract<Element, { bytes: number }>;

const MAX_ROWS = 500;
/** The service's limit of 1 MB, minus the rest of the body. */
const MAX_BYTES = 1_000_000;

/** Sends the rows of a file in batches, one after the other. The second row of the same user is refused. */
export async function runImport(
  client: Client,
  head: CsvHead,
  targets: Target[],
  { mode, by, dryRun, signal, stopping, onProgress, onFailure }: ImportOptions,
): Promise<void> {
  const progress = noProgress();
  const identity = by ?? 'email';
  const merge = mode === 'upsert' && targets.some((target) => keyOfTarget(target) !== undefined);
  const accepted = new Set<string>();
  const refuse = (row: CsvRow, faults: RowFault[]) => {
    progress.counts.failed++;
    progress.refused.push({ row, faults });
  };
  const report = () => onProgress({ ...progress, counts: { ...progress.counts } });

  /** Repeats a request until it succeeds, or cannot. The key makes that safe. */
  const send = async (elements: Sent[]): Promise<BatchAnswer> => {
    const users = elements.map(({ user }) => user);
    const idempotencyKey = crypto.getRandomValues(new Uint32Array(4)).join('-');
    const options = {
      mode,
      by,
      merge: merge || undefined,
      dryRun,
      signal,
      idempotencyKey,
      timeoutMs: 60_000,
    };
    const onWait = (until: number | undefined) => {
      progress.waitsUntil = until;
      report();
    };
    for (;;) {
      try {
        return await patiently(() => client.users.batch(users, options), { signal: stopping, onWait });
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ApiError) || isRefusalOfElements(error)) throw error;
        progress.isUncertain ||= !dryRun && isUnanswered(error);
        report();
        await onFailure(error);
      }
    }
  };

  const sendBatch = async (elements: Sent[]): Promise<void> => {
    if (elements.length === 0) return;
    stopping.throwIfAborted();
    let answer: BatchAnswer;
    try {
      answer = await send(elements);
    } catch (error) {
      if (!(error instanceof ApiError) || !isRefusalOfElements(error)) throw error;
      progress.isUncertain = false;
      // The others are sent again without the elements that made the batch fail.
      const faults = faultsByElement(error);
      const before = new Set(accepted);
      elements.forEach(({ row, user }, at) => {
        const list = faults.get(at);
        if (list) refuse(row, inFile(list, user, before, identity));
        else before.add(keyOf(user, identity));
      });
      return sendBatch(elements.filter((_element, at) => !faults.has(at)));
    }
    progress.isUncertain = false;
    for (const { index, errors } of answer.results) {
      const { row, user } = elements[index];
      if (errors) refuse(row, inFile(errors, user, accepted, identity));
      else accepted.add(keyOf(user, identity));
    }
    for (const outcome of ['created', 'updated', 'unchanged'] as const)
      progress.counts[outcome] += answer.counts[outcome];
    progress.line = elements.at(-1)!.row.line;
    report();
  };

  let batch: Sent[] = [];
  let bytes = 0;
  const { rows } = await openFile(head.file, (read) => (progress.bytes = read));
  for await (const row of rows) {
    stopping.throwIfAborted();
    const element = elementOf(row, targets);
    if ('faults' in element) refuse(row, element.faults);
    else if (accepted.has(keyOf(element.user, identity))) refuse(row, [repeated(identity)]);
    else {
      if (batch.length === MAX_ROWS || bytes + element.bytes > MAX_BYTES) {
        await sendBatch(batch);
        batch = [];
        bytes = 0;
      }
      batch.push(element);
      bytes += element.bytes + 1;
    }
  }
  await sendBatch(batch);
  report();
}
