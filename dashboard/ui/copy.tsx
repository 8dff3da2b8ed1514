import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Field } from './field.tsx';

interface FieldProps {
  label: string;
  value: string;
  rows?: number;
  onCopied?(): void;
}

/** A read-only text with a button that copies it. */
export function CopyField({ label, value, rows = 1, onCopied }: FieldProps) {
  const ref = useRef<HTMLTextAreaElement>(null);
  const { outcome, copySelected } = useCopy();
  const copy = async () => {
    ref.current!.select();
    if (await copySelected(value)) onCopied?.();
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

interface IdProps {
  id: string;
  /** The name of its owner. With a name, the id is one of many in a list, and shortened. */
  name?: string;
}

/** An id, with a button that copies the whole of it. */
export const CopyId = ({ id, name }: IdProps) => (
  <CopyText text={id} label={name === undefined ? 'Copy the ID' : `Copy the id of ${name}`}>
    {name === undefined ? (
      <code>{id}</code>
    ) : (
      <code title={id}>
        <Shortened id={id} />
      </code>
    )}
  </CopyText>
);

interface TextProps {
  text: string;
  /** Of the button. */
  label: string;
  /** Shown in place of the text as code. */
  children?: ComponentChildren;
}

/** A text with a button that copies it. */
export function CopyText({ text, label, children = <code>{text}</code> }: TextProps) {
  const ref = useRef<HTMLElement>(null);
  const { outcome, copySelected } = useCopy();
  const copy = async () => {
    const selection = getSelection()!;
    selection.selectAllChildren(ref.current!);
    if (await copySelected(text)) selection.removeAllRanges();
  };

  return (
    <span class="id">
      <span ref={ref}>{children}</span>
      <button type="button" class="plain" aria-label={label} onClick={() => void copy()} />
      <span class="outcome" role="status">
        {outcome}
      </span>
    </span>
  );
}

/** The whole id can be selected, its middle shows as “…”. The end tells ids apart: they begin with the time. */
const Shortened = ({ id }: { id: string }) => (
  <>
    {id.slice(0, 4)}
    <span class="middle">{id.slice(4, -6)}</span>
    {id.slice(-6)}
  </>
);

/** Copies selected text. `outcome` shows the result for three seconds. */
function useCopy() {
  const [outcome, setOutcome] = useState('');
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(''), 3_000);
    return () => clearTimeout(timer);
  }, [outcome]);

  /** Copies `text`, which must be selected. Resolves to whether it succeeded. */
  const copySelected = async (text: string): Promise<boolean> => {
    const isCopied = await (navigator.clipboard?.writeText(text) ?? Promise.reject()).then(
      () => true,
      () => document.execCommand('copy'), // the clipboard API requires HTTPS
    );
    setOutcome(isCopied ? 'Copied' : 'Press Ctrl+C or ⌘C');
    return isCopied;
  };
  return { outcome, copySelected };
}
