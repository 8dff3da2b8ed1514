import { useEffect, useRef, useState } from 'preact/hooks';
import { Field } from './field.tsx';

/** A read-only text with a button that copies it. */
export function CopyField({ label, value, rows = 1 }: { label: string; value: string; rows?: number }) {
  const ref = useRef<HTMLTextAreaElement>(null);
  const [outcome, setOutcome] = useState('');
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(''), 3_000);
    return () => clearTimeout(timer);
  }, [outcome]);

  const copy = async () => {
    const text = ref.current!;
    text.select();
    const copied = await (navigator.clipboard?.writeText(value) ?? Promise.reject()).then(
      () => true,
      () => document.execCommand('copy'), // the clipboard API requires HTTPS
    );
    setOutcome(copied ? 'Copied' : 'Press Ctrl+C or ⌘C');
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
