import type { BatchAnswer } from '../../../client/index.ts';

interface Props {
  counts: BatchAnswer['counts'] | undefined;
  dryRun: boolean;
  /** Screen readers are told the counts only at the end: meanwhile they would interrupt. */
  isRunning: boolean;
}

export function ImportCounts({ counts, dryRun, isRunning }: Props) {
  const { created = 0, updated = 0, unchanged = 0, failed = 0 } = counts ?? {};
  const parts = [
    `${count.format(created)} ${dryRun ? 'to create' : 'created'}`,
    `${count.format(updated)} ${dryRun ? 'to change' : 'changed'}`,
    `${count.format(unchanged)} unchanged`,
    `${count.format(failed)} refused`,
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

const count = new Intl.NumberFormat('en');
