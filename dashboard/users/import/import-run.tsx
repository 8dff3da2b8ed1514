import { useEffect, useRef, useState } from 'preact/hooks';
import { keepAwake } from '../../idle.ts';
import { useSession } from '../../session.ts';
import { useLeaveQuestion } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import type { CsvHead, Field } from './csv-file.ts';
import { ImportCounts } from './import-counts.tsx';
import { RefusedRows } from './refused-rows.tsx';
import { type ImportProgress, runImport } from './run-import.ts';

interface Props {
  head: CsvHead;
  fields: (Field | undefined)[];
  mode: 'create' | 'upsert';
  dryRun: boolean;
  onBack(): void;
  onImport(): void;
  onImported(): void;
  onClose(): void;
}

type Phase = 'running' | 'stopped' | 'failed' | 'done';

/** A run through the file, which begins at once: one that writes nothing, or the import itself. */
export function ImportRun({ head, fields, mode, dryRun, onBack, onImport, onImported, onClose }: Props) {
  const { client } = useSession();
  const [phase, setPhase] = useState<Phase>('running');
  const [progress, setProgress] = useState<ImportProgress>();
  const [failure, setFailure] = useState<{ error: unknown; retry?(): void }>();
  const [controller] = useState(() => new AbortController());
  const heading = useRef<HTMLHeadingElement>(null);

  useEffect(() => {
    const { signal } = controller;
    heading.current?.focus();
    let hasWritten = false;
    const options = {
      mode,
      dryRun,
      signal,
      onProgress: (progress: ImportProgress) => {
        hasWritten ||= !dryRun && progress.counts.created + progress.counts.updated > 0;
        if (!signal.aborted) setProgress(progress);
      },
      onFailure: (error: unknown) =>
        new Promise<void>((retry, end) => {
          signal.addEventListener('abort', () => end(signal.reason as Error));
          setFailure({ error, retry });
        }).then(() => setFailure(undefined)),
    };
    runImport(client, head, fields, options)
      .then(
        () => setPhase('done'),
        (error: unknown) => {
          if (signal.aborted) return;
          setFailure({ error });
          setPhase('failed');
        },
      )
      .finally(() => hasWritten && onImported());
    return () => controller.abort();
  }, []);

  const stop = () => {
    controller.abort();
    setFailure(undefined);
    setPhase('stopped');
  };
  const isRunning = phase === 'running';
  const isWriting = isRunning && !dryRun;
  useLeaveQuestion(isWriting ? { ...STOP, onLeave: stop } : dryRun ? undefined : null, isWriting);
  useEffect(() => {
    if (!isWriting) return;
    const preventUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', preventUnload);
    return () => removeEventListener('beforeunload', preventUnload);
  }, [isWriting]);
  const isBusy = isWriting && !failure;
  useEffect(() => (isBusy ? keepAwake() : undefined), [isBusy]);
  const { counts, refused = [] } = progress ?? {};
  const importable = (counts?.created ?? 0) + (counts?.updated ?? 0);

  return (
    <div class="stack">
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
      <ImportCounts counts={counts} dryRun={dryRun} isRunning={isRunning} />
      <p class="quiet" role="status">
        {progress?.waitsUntil !== undefined &&
          isRunning &&
          `The token's rate limit is used up. It continues at ${timeOfDay.format(progress.waitsUntil)}.`}
      </p>
      <Failure error={failure?.error} onRetry={failure?.retry} />
      {!isRunning && <RefusedRows head={head} refused={refused} />}
      <div class="buttons">
        {isRunning ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <>
            {dryRun && (
              <button type="button" onClick={onBack}>
                Back
              </button>
            )}
            {dryRun && phase === 'done' ? (
              <button
                type="button"
                class="primary"
                aria-disabled={importable === 0}
                onClick={() => importable > 0 && onImport()}
              >
                {`Import ${count.format(importable)} ${importable === 1 ? 'user' : 'users'}`}
              </button>
            ) : (
              <button type="button" class="primary" onClick={onClose}>
                Close
              </button>
            )}
          </>
        )}
      </div>
    </div>
  );
}

function titleOf(phase: Phase, dryRun: boolean): string {
  if (phase === 'running') return dryRun ? 'Trying it out …' : 'Importing …';
  if (phase === 'done') return dryRun ? 'This would happen' : 'Imported';
  const what = phase === 'stopped' ? 'Stopped' : 'Failed';
  return dryRun ? `${what}; nothing was written` : `${what}; what is counted here has been written`;
}

const STOP = {
  title: 'Stop the import?',
  stay: 'Continue importing',
  leave: 'Stop the import',
};

const count = new Intl.NumberFormat('en');
const timeOfDay = new Intl.DateTimeFormat('en', { timeStyle: 'medium' });
