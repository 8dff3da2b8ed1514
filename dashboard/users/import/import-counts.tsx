import type { BatchAnswer } from '../../../client/index.ts';
import { formatCount } from '../../ui/format.ts';

interface Props {
  counts: BatchAnswer['counts'] | undefined;
  dryRun: boolean;
  /** Screen readers are told the counts only at the end: meanwhile they would interrupt. */
  isRunning: boolean;
}

export function ImportCounts({ counts, dryRun, isRunning }: Props) {
  const { created = 0, updated = 0, unchanged = 0, failed = 0 } = counts ?? {};
  const parts = [
    `${formatCount(created)} ${dryRun ? 'to create' : 'created'}`,
    `${formatCount(updated)} ${dryRun ? 'to change' : 'changed'}`,
    `${formatCount(unchanged)} unchanged`,
    `${formatCount(failed)} refused`,
  ];
  return (
    <>
      <p aria-hidden="true">{parts.join(' · ')}</p>
      <p class="unseen" role="status">
        {!isRunning && parts.join(', ')}
      </p>
    </>
  );
}
