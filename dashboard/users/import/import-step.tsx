import { useEffect } from 'preact/hooks';
import { navigate } from '../../router/place.ts';
import { useFarewell } from '../../session/farewell.ts';
import { AskBeforeLeaving } from '../../ui/leaving.tsx';
import { useBusy } from '../../ui/use-task.ts';
import { interruption } from './interruption.ts';
import { rulesOf } from './labels.ts';
import { RefusedRows } from './refused-rows.tsx';
import { RunProgress } from './run-progress.tsx';
import type { Draft } from './use-draft.ts';
import { useImportRun } from './use-import-run.ts';

interface Props {
  draft: Draft;
  rows: number | undefined;
  /** The whole file has been imported. */
  onImported(): void;
  onBack(): void;
  onAnother(): void;
}

/** The import itself, and what has become of it. */
export function ImportStep({ draft: { head, targets, rule }, rows, onImported, onBack, onAnother }: Props) {
  const run = useImportRun(head, targets, rulesOf(rule), false);
  const { phase, isRunning, isStopping, progress, failure } = run;
  useBusy(isRunning, !failure);
  useFarewell(() => (isRunning ? interruption(head.file.name, progress) : undefined));
  useEffect(() => {
    if (phase === 'done') onImported();
  }, [phase]);
  const isCut = phase === 'stopped' || phase === 'failed';
  return (
    <>
      {isRunning && <AskBeforeLeaving question={isStopping ? undefined : { ...STOP, onLeave: run.stop }} />}
      <RunProgress run={run} dryRun={false} size={head.file.size} rows={rows} />
      {isCut && (
        <p>
          {progress.isUncertain && 'Some more rows may have been written. '}
          {`To continue, import the file again${rule === 'create' ? ' and choose to update users that already exist' : ''}: `}
          rows that have been written stay unchanged.
        </p>
      )}
      {!isRunning && (
        <>
          <RefusedRows head={head} targets={targets} refused={progress.refused} max={50} />
          <div class="buttons">
            {isCut && (
              <button type="button" onClick={onBack}>
                Back to the columns
              </button>
            )}
            <button type="button" onClick={onAnother}>
              Import another file
            </button>
            <button type="button" class="primary" onClick={() => navigate('users')}>
              To the users
            </button>
          </div>
        </>
      )}
    </>
  );
}

const STOP = {
  title: 'Stop the import?',
  stay: 'Continue importing',
  leave: 'Stop the import',
};
