import { useRef, useState } from 'preact/hooks';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Field } from '../../ui/field.tsx';
import { ColumnsTable } from './columns-table.tsx';
import { type CsvHead, type ImportField, readHead, suggestedFields } from './csv-file.ts';
import { ImportRun } from './import-run.tsx';

interface Props {
  onClose(): void;
  /** Called when an import has written users. */
  onImported(): void;
}

type Mode = 'create' | 'upsert';

/** Imports a CSV file: choose the file, map its columns, try it out, import it. */
export function ImportDialog({ onClose, onImported }: Props) {
  const [head, setHead] = useState<CsvHead>();
  const [fields, setFields] = useState<(ImportField | undefined)[]>([]);
  const [mode, setMode] = useState<Mode>('create');
  const [step, setStep] = useState<'choose' | 'try' | 'import'>('choose');
  const [error, setError] = useState<unknown>();
  const latest = useRef<File | undefined>(undefined);

  const choose = async (file: File | undefined) => {
    latest.current = file;
    setError(undefined);
    setHead(undefined);
    if (!file) return;
    try {
      const head = await readHead(file);
      if (latest.current !== file) return;
      setFields(suggestedFields(head.header));
      setHead(head);
    } catch (error) {
      if (latest.current === file) setError(error);
    }
  };
  const hasEmail = fields.includes('email');

  return (
    <Dialog title="Import users" onClose={onClose}>
      {head && step !== 'choose' ? (
        <ImportRun
          key={step}
          head={head}
          fields={fields}
          mode={mode}
          dryRun={step === 'try'}
          onBack={() => setStep('choose')}
          onImport={() => setStep('import')}
          onImported={onImported}
          onClose={onClose}
        />
      ) : (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            if (head && hasEmail) setStep('try');
          }}
        >
          <Field
            label="CSV file"
            hint={
              head
                ? `${head.file.name} is chosen. If you change the file, choose it again.`
                : 'UTF-8; the first line names the columns'
            }
          >
            {(field) => (
              <input
                {...field}
                type="file"
                accept=".csv,.tsv,text/csv,text/tab-separated-values"
                onChange={(event) => void choose(event.currentTarget.files?.[0])}
              />
            )}
          </Field>
          <Failure error={error} />
          {head && (
            <>
              <ColumnsTable head={head} fields={fields} onFields={setFields} />
              <p class="error" role="alert">
                {!hasEmail && 'Choose the column that has the email.'}
              </p>
              <Field label="If the user already exists">
                {(field) => (
                  <select
                    {...field}
                    value={mode}
                    onChange={(event) => setMode(event.currentTarget.value as Mode)}
                  >
                    <option value="create">Refuse the row</option>
                    <option value="upsert">Change the fields that the row has</option>
                  </select>
                )}
              </Field>
            </>
          )}
          <div class="buttons">
            <CancelButton />
            <button class="primary" aria-disabled={!head || !hasEmail}>
              Try it out
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
