import type { Fault } from '../../http/fault';
import { type Decision, type JudgedRow, judgeRow, type Mode } from '../batch/batch-rules';
import { USER_FIELDS, WRITABLE_NAMES } from '../user.fields';

/** What the import does with a row; a refused row has a list of faults. */
export type Outcome = 'created' | 'updated' | 'unchanged' | Fault[];

export const outcomeOf = (decision: Decision): Outcome =>
  decision.outcome === 'refused' ? decision.faults : decision.outcome;

/** Judges the rows of a file. Fields that the service sets are ignored, because an export contains them. */
export const judgeRows = (rows: readonly unknown[], mode: Mode): JudgedRow[] =>
  rows.map((row) => judgeRow(withoutServiceFields(row), mode));

function withoutServiceFields(row: unknown): unknown {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return row;
  const isServiceField = (name: string) =>
    Object.hasOwn(USER_FIELDS, name) && !WRITABLE_NAMES.includes(name as never);
  return Object.fromEntries(Object.entries(row).filter(([name]) => !isServiceField(name)));
}
