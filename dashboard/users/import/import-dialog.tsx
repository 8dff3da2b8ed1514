import { useRef, useState } from 'preact/hooks';
import { proposeTargets } from '../../../csv/proposals.ts';
import type { Target } from '../../../csv/targets.ts';
import { CancelButton, Dialog, DISCARD } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { InputField } from '../../ui/field.tsx';
import { SelectField } from '../../ui/select-field.tsx';
import { ColumnsTable } from './columns-table.tsx';
import { type CsvHead, readHead } from './csv-file.ts';
import { ImportRun } from './import-run.tsx';
import { PreviewTable } from './preview-table.tsx';
import type { ImportRules } from './run-import.ts';
import { faultsOf } from './targets.ts';

interface Props {
  onClose(): void;
  /** Called when an import has written users. */
  onImported(): void;
}

/** What a person can choose for a row whose user exists. */
const RULES = {
  create: 'Refuse the row',
  email: 'Update the user with the same email',
  externalId: 'Update the user with the same external ID (may change the email)',
};

type Choice = keyof typeof RULES;

const rulesOf = (choice: Choice): ImportRules =>
  choice === 'create' ? { mode: 'create' } : { mode: 'upsert', by: choice };

/** Imports a CSV file: choose the file, map its columns, try it out, import it. */
export function ImportDialog({ onClose, onImported }: Props) {
  const [head, setHead] = useState<CsvHead>();
  const [targets, setTargets] = useState<Target[]>([]);
  const [choice, setChoice] = useState<Choice>('create');
  const [step, setStep] = useState<'choose' | 'try' | 'import'>('choose');
  const [error, setError] = useState<unknown>();
  /** Whether the person has asked for the next step. Before that, what is missing is no error. */
  const [isAsked, setAsked] = useState(false);
  const latest = useRef<File | undefined>(undefined);

  const choose = async (file: File | undefined) => {
    latest.current = file;
    setError(undefined);
    setHead(undefined);
    setAsked(false);
    if (!file) return;
    try {
      const head = await readHead(file);
      if (latest.current !== file) return;
      setTargets(
        proposeTargets(
          head.header,
          head.rows.map(({ cells }) => cells),
        ),
      );
      setHead(head);
    } catch (error) {
      if (latest.current === file) setError(error);
    }
  };
  const identity = choice === 'externalId' ? choice : 'email';
  const missing = targets.includes(identity)
    ? undefined
    : `Choose the column that has the ${identity === 'email' ? 'email' : 'external ID'}.`;
  const faults = faultsOf(targets, head?.header ?? []);
  const isReady = head && !missing && !faults.some(Boolean);

  if (head && step !== 'choose')
    return (
      <ImportRun
        key={step}
        head={head}
        targets={targets}
        rules={rulesOf(choice)}
        dryRun={step === 'try'}
        onBack={() => setStep('choose')}
        onImport={() => setStep('import')}
        onImported={onImported}
        onClose={onClose}
      />
    );
  return (
    <Dialog title="Import users" isWide question={head && DISCARD} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) setStep('try');
          else setAsked(true);
        }}
      >
        <InputField
          label="CSV file"
          hint={
            head
              ? `${head.file.name} is chosen. If you change the file, choose it again.`
              : 'UTF-8; the first line names the columns'
          }
          type="file"
          accept=".csv,.tsv,text/csv,text/tab-separated-values"
          onChange={(event) => void choose(event.currentTarget.files?.[0])}
        />
        <Failure error={error} />
        {head && (
          <>
            <ColumnsTable head={head} targets={targets} faults={faults} onTargets={setTargets} />
            <PreviewTable head={head} targets={targets} />
            <SelectField
              label="If the user already exists"
              options={RULES}
              value={choice}
              onValue={(choice) => setChoice(choice as Choice)}
            />
          </>
        )}
        {head && (
          <>
            {missing && !isAsked && <p class="hint">{missing}</p>}
            <p class="error" role="alert">
              {isAsked && missing}
            </p>
            {!targets.includes('name') && (
              <p class="hint">New users need a name, but no column becomes the name.</p>
            )}
          </>
        )}
        <div class="buttons">
          <CancelButton />
          <button class="primary" aria-disabled={!isReady}>
            Check all rows
          </button>
        </div>
      </form>
    </Dialog>
  );
}
