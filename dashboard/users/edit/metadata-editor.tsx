import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { fieldOf, MAX_KEYS, type MetadataRow, newRow } from './metadata-rows.ts';

interface Fault {
  field: string;
  message: string;
}

interface Props {
  rows: MetadataRow[];
  onRows(rows: MetadataRow[]): void;
  /** The error of the metadata as a whole. */
  error?: string;
  /** The faults of single values and of anything inside them. */
  faults: Fault[];
}

export function MetadataEditor({ rows, onRows, error, faults }: Props) {
  const id = useId();
  const ref = useRef<HTMLFieldSetElement>(null);
  const isAdded = useRef(false);
  // Not after a timer, which a browser may defer until somebody types in another field.
  useLayoutEffect(() => {
    if (isAdded.current) [...ref.current!.querySelectorAll<HTMLElement>('.pair > input')].at(-1)?.focus();
    isAdded.current = false;
  }, [rows]);
  const change = (id: number, change: Partial<MetadataRow>) =>
    onRows(rows.map((row) => (row.id === id ? { ...row, ...change } : row)));
  const isFull = rows.length >= MAX_KEYS;
  const faultsWithKeys = faults.map((fault) => ({ fault, key: keyOf(fault, rows) }));
  const generalErrors = faultsWithKeys
    .filter(({ key }) => key === undefined)
    .map(({ fault }) => textOf(fault));

  return (
    <fieldset class="field metadata" ref={ref} aria-describedby={`${id}-error`}>
      <legend>
        <span class="title-word">Metadata</span>{' '}
        <span class="quiet count">{`${rows.length} of ${MAX_KEYS} keys`}</span>
      </legend>
      {rows.map((row, i) => {
        const errors = faultsWithKeys.filter(({ key }) => key === row.key).map(({ fault }) => textOf(fault));
        const invalid =
          errors.length > 0 ? { 'aria-invalid': true, 'aria-describedby': `${id}-${row.id}` } : {};
        const name = row.key || `row ${i + 1}`;
        return (
          <div class="pair" key={row.id}>
            <input
              class="mono"
              aria-label={`Key ${i + 1}`}
              placeholder="Key"
              autocomplete="off"
              spellcheck={false}
              value={row.key}
              onInput={(event) => change(row.id, { key: event.currentTarget.value })}
              {...invalid}
            />
            <select
              aria-label={`Type of ${name}`}
              value={row.kind}
              onChange={(event) => change(row.id, { kind: event.currentTarget.value as MetadataRow['kind'] })}
            >
              <option value="text">Text</option>
              <option value="json">JSON</option>
            </select>
            <textarea
              class={row.kind === 'json' ? 'mono' : undefined}
              aria-label={`Value of ${name}`}
              placeholder="Value"
              rows={1}
              spellcheck={false}
              value={row.text}
              onInput={(event) => change(row.id, { text: event.currentTarget.value })}
              {...invalid}
            />
            <button
              type="button"
              aria-label={`Remove ${name}`}
              onClick={() => {
                onRows(rows.filter(({ id }) => id !== row.id));
                ref.current?.dispatchEvent(new Event('input', { bubbles: true })); // tells the dialog of the change
                ref.current?.querySelector<HTMLElement>('.add')?.focus();
              }}
            >
              ✕
            </button>
            <p class="error" role="alert" id={`${id}-${row.id}`}>
              {errors.join(' ')}
            </p>
          </div>
        );
      })}
      <button
        type="button"
        class="add small"
        aria-disabled={isFull}
        onClick={() => {
          if (isFull) return;
          isAdded.current = true;
          onRows([...rows, newRow()]);
        }}
      >
        Add a key
      </button>
      <p class="error" role="alert" id={`${id}-error`}>
        {[error && `Metadata ${error}.`, ...generalErrors].filter(Boolean).join(' ')}
      </p>
    </fieldset>
  );
}

/** The key of a fault. Keys may contain dots, so the longest match wins. */
const keyOf = ({ field }: Fault, rows: MetadataRow[]): string | undefined =>
  rows
    .map(({ key }) => key)
    .filter((key) => field === fieldOf(key) || field.startsWith(`${fieldOf(key)}.`))
    .sort((a, b) => b.length - a.length)[0];

const textOf = ({ field, message }: Fault) => `${field.replace(/^metadata\./, '') || 'The key'} ${message}.`;
