import { useRef, useState } from 'preact/hooks';
import { download } from '../../ui/download.ts';
import { Failure } from '../../ui/failure.tsx';
import { formatCount } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { type CsvHead, readHead } from './csv-file.ts';
import { SAMPLE } from './sample.ts';
import { useFileDrop } from './use-file-drop.ts';
import { sizeOf } from './words.ts';

interface Props {
  /** The file that is chosen. */
  head: CsvHead | undefined;
  /** How many rows it has, once that is known. */
  rows: number | undefined;
  /** Whether another one can be chosen. */
  isFixed: boolean;
  onHead(head: CsvHead): void;
  /** The chosen file cannot be read. */
  onFailed(): void;
}

/** The file: one can be dropped on the page, or chosen. */
export function FileStep({ head, rows, isFixed, onHead, onFailed }: Props) {
  const [error, setError] = useState<unknown>();
  const latest = useRef<File | undefined>(undefined);
  const choose = async (file: File | undefined) => {
    if (!file) return;
    latest.current = file;
    setError(undefined);
    try {
      const head = await readHead(file);
      if (latest.current === file) onHead(head);
    } catch (error) {
      if (latest.current !== file) return;
      setError(error);
      onFailed();
    }
  };
  const isOver = useFileDrop(head ? undefined : (file) => void choose(file));
  const input = (text: string) => (
    <label class="file-button">
      <input
        type="file"
        accept=".csv,.tsv,text/csv,text/tab-separated-values"
        onChange={({ currentTarget }) => {
          void choose(currentTarget.files?.[0]);
          currentTarget.value = ''; // so that the same file can be chosen again
        }}
      />
      <span>{text}</span>
    </label>
  );
  return (
    <>
      {head ? (
        <div class="chosen-file">
          <Icon name="docs" />
          <p>
            <strong>{head.file.name}</strong>
            <span class="quiet">
              {sizeOf(head.file.size)}
              {rows !== undefined && ` · ${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}`}
            </span>
          </p>
          {!isFixed && input('Choose another file')}
        </div>
      ) : (
        <>
          <div class={isOver ? 'drop-zone over' : 'drop-zone'}>
            <Icon name="upload" />
            <p>
              <strong>{isOver ? 'Let go to read the file' : 'Drop a CSV file here'}</strong>
              <span class="quiet">
                UTF-8, with commas, semicolons or tabs; the first line names the columns
              </span>
            </p>
            {input('Choose a file')}
          </div>
          <p class="quiet">
            No file at hand?{' '}
            <button
              type="button"
              class="plain text-link"
              onClick={() => download('users.csv', [SAMPLE], 'text/csv')}
            >
              Download a sample file
            </button>
          </p>
        </>
      )}
      <Failure error={error} />
    </>
  );
}
