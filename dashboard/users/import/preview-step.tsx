import { countOf } from '../../ui/format.ts';
import { AskBeforeLeaving } from '../../ui/leaving.tsx';
import { rulesOf } from './labels.ts';
import { PeopleTable } from './people-table.tsx';
import { questionAbout } from './question.ts';
import { RefusedRows } from './refused-rows.tsx';
import { RunProgress } from './run-progress.tsx';
import type { Draft } from './use-draft.ts';
import { useImportRun } from './use-import-run.ts';

interface Props {
  draft: Draft;
  rows: number | undefined;
  onBack(): void;
  onImport(): void;
}

/** What an import would do. Every row is checked; nothing is written. */
export function PreviewStep({ draft: { head, targets, rule }, rows, onBack, onImport }: Props) {
  const rules = rulesOf(rule);
  const run = useImportRun(head, targets, rules, true);
  const { counts, refused } = run.progress;
  const importable = counts.created + counts.updated;
  return (
    <>
      <AskBeforeLeaving question={questionAbout(head.file.name)} />
      <RunProgress run={run} dryRun size={head.file.size} rows={rows} />
      <PeopleTable head={head} targets={targets} rules={rules} refused={refused} />
      {!run.isRunning && <RefusedRows head={head} targets={targets} refused={refused} max={10} />}
      <div class="buttons">
        <button type="button" onClick={onBack}>
          Back to the columns
        </button>
        {run.phase === 'done' && (
          <button
            type="button"
            class="primary"
            aria-disabled={importable === 0}
            onClick={() => importable > 0 && onImport()}
          >
            {`Import ${countOf(importable, 'user')}`}
          </button>
        )}
      </div>
    </>
  );
}
