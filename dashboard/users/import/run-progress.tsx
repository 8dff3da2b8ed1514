import { useLayoutEffect, useRef } from 'preact/hooks';
import { Failure } from '../../ui/failure.tsx';
import { formatCount } from '../../ui/format.ts';
import { STOPPING, waitingText } from '../../ui/use-task.ts';
import { outcomesOf, outcomeText, rowsIn } from './progress.ts';
import type { ImportRun, Phase } from './use-import-run.ts';

interface Props {
  run: ImportRun;
  dryRun: boolean;
  /** The size of the file, and its number of rows if that is known. */
  size: number;
  rows: number | undefined;
}

/** How far a run has come, and what it has come to. */
export function RunProgress({ run, dryRun, size, rows }: Props) {
  const { phase, isRunning, isStopping, progress, failure } = run;
  const { bytes, counts, waitsUntil } = progress;
  const heading = useRef<HTMLHeadingElement>(null);
  const stopButton = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    // The button that had the focus is gone.
    if (!isRunning && document.activeElement === document.body) heading.current!.focus();
  }, [isRunning]);
  const retry = failure?.retry;
  return (
    <>
      <h3 tabIndex={-1} ref={heading}>
        {titleOf(phase, dryRun)}
      </h3>
      {isRunning && (
        <div class="run">
          {/* Rows that were read, but not answered, are not done. */}
          <progress
            aria-label="Part of the file that is done"
            max={rows || size}
            value={rows ? rowsIn(counts) : bytes}
          />
          <p class="quiet" aria-hidden="true">
            {formatCount(rowsIn(counts))}
            {rows ? ` of ${formatCount(rows)} rows` : ' rows'}
          </p>
          <button type="button" ref={stopButton} aria-disabled={isStopping} onClick={run.stop}>
            {isStopping ? 'Stopping …' : 'Stop'}
          </button>
        </div>
      )}
      <ul class="outcomes" aria-hidden="true">
        {outcomesOf(counts, dryRun).map(([count, outcome]) => (
          <li key={outcome} class={count === 0 ? 'none' : outcome}>
            <b>{formatCount(count)}</b> {outcome}
          </li>
        ))}
      </ul>
      {/* Screen readers are told the counts only at the end: meanwhile they would interrupt. */}
      <p class="unseen" role="status">
        {!isRunning && outcomeText(counts, dryRun)}
      </p>
      <p class="quiet" role="status">
        {isStopping ? STOPPING : isRunning && waitingText(waitsUntil)}
      </p>
      <Failure
        error={failure?.error}
        onRetry={
          retry &&
          (() => {
            retry();
            stopButton.current?.focus();
          })
        }
      />
    </>
  );
}

function titleOf(phase: Phase, dryRun: boolean): string {
  if (phase === 'running') return dryRun ? 'Checking all rows …' : 'Importing …';
  if (phase === 'done') return dryRun ? 'This would happen' : 'Imported';
  const what = phase === 'stopped' ? 'Stopped' : 'Failed';
  return dryRun ? `${what}; nothing was written` : `${what}; what is counted here has been written`;
}
