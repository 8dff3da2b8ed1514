import { useEffect, useState } from 'preact/hooks';
import type { Target } from '../../../csv/targets.ts';
import { useSession } from '../../session/session.ts';
import type { CsvHead } from './csv-file.ts';
import { type ImportProgress, noProgress } from './progress.ts';
import { type ImportRules, runImport } from './run-import.ts';

export type Phase = 'running' | 'stopped' | 'failed' | 'done';

/** A run through the file, which begins at once: a dry run, or the import itself. */
export function useImportRun(head: CsvHead, targets: Target[], rules: ImportRules, dryRun: boolean) {
  const { client } = useSession();
  const [phase, setPhase] = useState<Phase>('running');
  const [progress, setProgress] = useState<ImportProgress>(noProgress);
  const [failure, setFailure] = useState<{ error: unknown; retry?(): void }>();
  const [isStopping, setIsStopping] = useState(false);
  const [controller] = useState(() => new AbortController());
  const [stopper] = useState(() => new AbortController());
  const abort = () => {
    stopper.abort();
    controller.abort();
  };

  useEffect(() => {
    const { signal } = controller;
    const stopping = stopper.signal;
    const options = {
      ...rules,
      dryRun,
      signal,
      stopping,
      onProgress: (progress: ImportProgress) => void (signal.aborted || setProgress(progress)),
      onFailure: (error: unknown) =>
        new Promise<void>((retry, end) => {
          stopping.throwIfAborted();
          stopping.addEventListener('abort', () => end(stopping.reason as Error));
          setFailure({ error, retry });
        }).finally(() => setFailure(undefined)),
    };
    runImport(client, head, targets, options).then(
      () => setPhase('done'),
      (error: unknown) => {
        if (signal.aborted) return;
        if (error === stopping.reason) return setPhase('stopped');
        setFailure({ error });
        setPhase('failed');
      },
    );
    return abort;
  }, []);

  return {
    phase,
    isRunning: phase === 'running',
    progress,
    failure,
    isStopping: phase === 'running' && isStopping,
    /** An import goes on until what is on its way has been answered, or has failed. */
    stop: () => {
      if (dryRun) {
        abort();
        setPhase('stopped');
      } else {
        stopper.abort();
        setIsStopping(true);
      }
    },
  };
}

export type ImportRun = ReturnType<typeof useImportRun>;
