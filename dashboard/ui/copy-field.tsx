import { useRef } from 'preact/hooks';
import { Field } from './field.tsx';
import { useCopy } from './use-copy.ts';

interface Props {
  label: string;
  value: string;
  rows?: number;
  onCopied(): void;
}

/** A read-only text with a button that copies it. */
export function CopyField({ label, value, rows = 1, onCopied }: Props) {
  const ref = useRef<HTMLTextAreaElement>(null);
  const { outcome, copySelected } = useCopy();
  const copy = async () => {
    ref.current!.select();
    if (await copySelected(value)) onCopied();
  };

  return (
    <div class="copy">
      <Field label={label}>
        {(field) => (
          <textarea {...field} ref={ref} class="mono" rows={rows} value={value} readOnly spellcheck={false} />
        )}
      </Field>
      <button type="button" aria-label={`Copy: ${label}`} onClick={() => void copy()}>
        Copy
      </button>
      <span class="outcome" role="status">
        {outcome}
      </span>
    </div>
  );
}
