import { formatCount } from '../../ui/format.ts';
import type { ImportProgress } from './progress.ts';

/** The message of an import whose session has ended: which rows it has written. */
export function interruption(file: string, progress: ImportProgress | undefined): string {
  const { counts, refused = [], line = 0 } = progress ?? {};
  if (!counts || line === 0)
    return `The import of ${file} was interrupted before any answer came; look at the list for what was written.`;
  const lines = refused.map(({ row }) => row.line).filter((refused) => refused <= line);
  return (
    `The import of ${file} was interrupted. The rows up to line ${line} have been written${exceptionsOf(lines)}: ` +
    `${formatCount(counts.created)} created, ${formatCount(counts.updated)} changed, ` +
    `${formatCount(counts.unchanged)} unchanged. The rows below may be missing; to import them again does no harm.`
  );
}

function exceptionsOf(lines: number[]): string {
  if (lines.length === 0) return '';
  if (lines.length === 1) return ` except line ${lines[0]}, which was refused`;
  const some = lines.length > MAX_NAMED ? 'the first are ' : '';
  const named = lines.slice(0, MAX_NAMED).join(', ');
  return ` except the ${formatCount(lines.length)} that were refused (${some}lines ${named})`;
}

/** The number of refused lines that are named. */
const MAX_NAMED = 20;
