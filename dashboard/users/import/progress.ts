import type { BatchAnswer } from '../../../client/index.ts';
import type { CsvRow } from '../../../csv/csv-file.ts';
import { formatCount } from '../../ui/format.ts';
import type { RowFault } from './csv-file.ts';

export interface Refused {
  row: CsvRow;
  faults: RowFault[];
}

type Counts = BatchAnswer['counts'];

/** The progress of an import. */
export interface ImportProgress {
  /** The bytes of the file that have been read. */
  bytes: number;
  counts: Counts;
  /** The refused rows, with their faults. */
  refused: Refused[];
  /** The line of the last row that has been written or refused; 0 before the first. */
  line: number;
  /** Whether a part was sent of which no answer says what has become of it. */
  isUncertain: boolean;
  /** The time, in milliseconds, until which the rate limit makes it wait. */
  waitsUntil?: number;
}

export const noProgress = (): ImportProgress => ({
  bytes: 0,
  counts: { created: 0, updated: 0, unchanged: 0, failed: 0 },
  refused: [],
  line: 0,
  isUncertain: false,
});

/** The number of rows whose outcome is known. */
export const rowsIn = ({ created, updated, unchanged, failed }: Counts): number =>
  created + updated + unchanged + failed;

/** How many rows have each outcome, and the words for it. */
export const outcomesOf = (
  { created, updated, unchanged, failed }: Counts,
  dryRun: boolean,
): [count: number, outcome: string][] => [
  [created, dryRun ? 'to create' : 'created'],
  [updated, dryRun ? 'to change' : 'changed'],
  [unchanged, 'unchanged'],
  [failed, 'refused'],
];

export const outcomeText = (counts: Counts, dryRun: boolean): string =>
  outcomesOf(counts, dryRun)
    .map(([count, outcome]) => `${formatCount(count)} ${outcome}`)
    .join(', ');
