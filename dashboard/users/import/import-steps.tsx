import { useEffect, useRef, useState } from 'preact/hooks';
import { ColumnsStep } from './columns-step.tsx';
import { FileStep } from './file-step.tsx';
import { ImportStep } from './import-step.tsx';
import { summaryOf } from './labels.ts';
import { AskBeforeLeaving } from '../../ui/leaving.tsx';
import { PreviewStep } from './preview-step.tsx';
import { questionAbout } from './question.ts';
import { Step } from './step.tsx';
import { useDraft } from './use-draft.ts';
import { useRowCount } from './use-row-count.ts';

const FILE = 0;
const COLUMNS = 1;
const PREVIEW = 2;
const IMPORT = 3;

/** The steps from a file to its users. Those that are done stay in sight, and one can go back to them. */
export function ImportSteps() {
  const { draft, begin, change, drop, forget } = useDraft();
  const [at, setAt] = useState(draft ? COLUMNS : FILE);
  const rows = useRowCount(draft?.head.file);
  const isShown = useRef(false);
  useEffect(() => void (isShown.current = true), []); // at first, the page's own heading has the focus
  const step = (number: number, title: string) => ({
    number: number + 1,
    title,
    state: at > number ? ('done' as const) : at === number ? ('open' as const) : ('ahead' as const),
    takesFocus: isShown.current,
  });
  const toColumns = () => setAt(COLUMNS);
  const toFile = () => {
    drop();
    setAt(FILE);
  };
  return (
    <div class="steps">
      <Step {...step(FILE, 'File')}>
        <FileStep
          head={draft?.head}
          rows={rows}
          isFixed={at === IMPORT}
          onHead={(head) => {
            begin(head);
            toColumns();
          }}
          onFailed={toFile}
        />
      </Step>
      <Step {...step(COLUMNS, 'Columns')}>
        {draft && at === COLUMNS && (
          <>
            <AskBeforeLeaving question={questionAbout(draft.head.file.name)} />
            <ColumnsStep key={draft.head} draft={draft} onChange={change} onPreview={() => setAt(PREVIEW)} />
          </>
        )}
        {draft && at > COLUMNS && (
          <div class="line">
            <p class="quiet">{summaryOf(draft.targets)}</p>
            {at === PREVIEW && (
              <button type="button" class="small" onClick={toColumns}>
                Change
              </button>
            )}
          </div>
        )}
      </Step>
      <Step {...step(PREVIEW, 'Preview')}>
        {draft && at === PREVIEW && (
          <PreviewStep draft={draft} rows={rows} onBack={toColumns} onImport={() => setAt(IMPORT)} />
        )}
      </Step>
      <Step {...step(IMPORT, 'Import')}>
        {draft && at === IMPORT && (
          <ImportStep draft={draft} rows={rows} onImported={forget} onBack={toColumns} onAnother={toFile} />
        )}
      </Step>
    </div>
  );
}
