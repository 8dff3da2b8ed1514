import { useEffect, useRef, useState } from 'preact/hooks';
import { useFarewell } from '../../session/farewell.ts';
import { useSession } from '../../session/session.ts';
import { Dialog, DISCARD } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { STOPPING, useBusy, waitingText } from '../../ui/use-task.ts';
import type { Target } from '../../../csv/targets.ts';
import type { CsvHead } from './csv-file.ts';
import { RefusedRows } from './refused-rows.tsx';
import { interruption } from './interruption.ts';
import { type ImportProgress, type ImportRules, runImport } from './run-import.ts';
import { countOf, formatCount } from '../../ui/format.ts';

interface Props {
  head: CsvHead;
  targets: Target[];
  rules: ImportRules;
  dryRun: boolean;
  onBack(): void;
  onImport(): void;
  onImported(): void;
  onClose(): void;
}

const NOTHING = { created: 0, updated: 0, unchanged: 0, failed: 0 };

type Phase = 'running' | 'stopped' | 'failed' | 'done';

/** A run through the file, which begins at once: a dry run, or the import itself. */
export function ImportRun({ head, targets, rules, dryRun, onBack, onImport, onImported, onClose }: Props) {
  const { client } = useSession();
  const [phase, setPhase] = useState<Phase>('running');
  const [progress, setProgress] = useState<ImportProgress>();
  const [failure, setFailure] = useState<{ error: unknown; retry?(): void }>();
  const [isStopping, setIsStopping] = useState(false);
  const [controller] = useState(() => new AbortController());
  const [stopper] = useState(() => new AbortController());
  const heading = useRef<HTMLHeadingElement>(null);
  const stopButton = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    const { signal } = controller;
    heading.current?.focus();
    let mayHaveWritten = false;
    const stopping = stopper.signal;
    const options = {
      ...rules,
      dryRun,
      signal,
      stopping,
      onProgress: (progress: ImportProgress) => {
        const { counts, isUncertain } = progress;
        mayHaveWritten ||= isUncertain || (!dryRun && counts.created + counts.updated > 0);
        if (!signal.aborted) setProgress(progress);
      },
      onFailure: (error: unknown) =>
        new Promise<void>((retry, end) => {
          stopping.throwIfAborted();
          stopping.addEventListener('abort', () => end(stopping.reason as Error));
          setFailure({ error, retry });
        }).finally(() => setFailure(undefined)),
    };
    runImport(client, head, targets, options)
      .then(
        () => setPhase('done'),
        (error: unknown) => {
          if (signal.aborted) return;
          if (error === stopping.reason) return setPhase('stopped');
          setFailure({ error });
          setPhase('failed');
        },
      )
      .finally(() => mayHaveWritten && onImported());
    return abort;
  }, []);

  const abort = () => {
    stopper.abort();
    controller.abort();
  };
  /** An import goes on until what is on its way has been answered, or has failed. */
  const stop = () => {
    if (!dryRun) {
      stopper.abort();
      return setIsStopping(true);
    }
    abort();
    setPhase('stopped');
  };
  const tryAgain = failure?.retry;
  const retry = () => {
    tryAgain!();
    stopButton.current?.focus();
  };
  const isRunning = phase === 'running';
  const isWriting = isRunning && !dryRun;
  const isEnding = isWriting && isStopping;
  useBusy(isWriting, !failure);
  const { counts = NOTHING, refused = [] } = progress ?? {};
  useFarewell(() => (isWriting ? interruption(head.file.name, progress) : undefined));
  const importable = counts.created + counts.updated;
  const outcomes = [
    `${formatCount(counts.created)} ${dryRun ? 'to create' : 'created'}`,
    `${formatCount(counts.updated)} ${dryRun ? 'to change' : 'changed'}`,
    `${formatCount(counts.unchanged)} unchanged`,
    `${formatCount(counts.failed)} refused`,
  ];

  return (
    <Dialog
      title="Import users"
      isWide
      question={dryRun ? DISCARD : isWriting && !isEnding ? { ...STOP, onLeave: stop } : null}
      onClose={() => isEnding || onClose()}
    >
      <h3 tabIndex={-1} ref={heading}>
        {titleOf(phase, dryRun)}
      </h3>
      {isRunning && (
        <progress
          aria-label="Part of the file that is done"
          max={head.file.size}
          value={progress?.bytes ?? 0}
        />
      )}
      <p aria-hidden="true">{outcomes.join(' · ')}</p>
      {/* Screen readers are told the counts only at the end: meanwhile they would interrupt. */}
      <p class="unseen" role="status">
        {!isRunning && outcomes.join(', ')}
      </p>
      <p class="quiet" role="status">
        {isEnding ? STOPPING : isRunning && waitingText(progress?.waitsUntil)}
      </p>
      <Failure error={failure?.error} onRetry={tryAgain && retry} />
      {!dryRun && (phase === 'stopped' || phase === 'failed') && (
        <p>
          {progress?.isUncertain && 'Some more rows may have been written. '}
          {`To continue, import the file again${rules.mode === 'create' ? ' and choose to update users that already exist' : ''}: `}
          rows that have been written stay unchanged.
        </p>
      )}
      {!isRunning && <RefusedRows head={head} targets={targets} refused={refused} />}
      <div class="buttons">
        {/* One button all the time, so that it keeps the focus. A second press must not import what was tried out. */}
        <button
          type="button"
          ref={stopButton}
          class={isRunning || dryRun ? undefined : 'primary'}
          aria-disabled={isEnding}
          onClick={isRunning ? stop : dryRun ? onBack : onClose}
        >
          {isEnding ? 'Stopping …' : isRunning ? 'Stop' : dryRun ? 'Back' : 'Close'}
        </button>
        {!isRunning &&
          dryRun &&
          (phase === 'done' ? (
            <button
              type="button"
              class="primary"
              aria-disabled={importable === 0}
              onClick={() => importable > 0 && onImport()}
            >
              {`Import ${countOf(importable, 'user')}`}
            </button>
          ) : (
            <button type="button" class="primary" onClick={onClose}>
              Close
            </button>
          ))}
      </div>
    </Dialog>
  );
}

function titleOf(phase: Phase, dryRun: boolean): string {
  if (phase === 'running') return dryRun ? 'Checking all rows …' : 'Importing …';
  if (phase === 'done') return dryRun ? 'This would happen' : 'Imported';
  const what = phase === 'stopped' ? 'Stopped' : 'Failed';
  return dryRun ? `${what}; nothing was written` : `${what}; what is counted here has been written`;
}

const STOP = {
  title: 'Stop the import?',
  stay: 'Continue importing',
  leave: 'Stop the import',
};
