import { useState } from 'preact/hooks';
import type { Fault } from '../../ui/faults.ts';
import { Field } from '../../ui/field.tsx';

/** A line of the field that is not empty. */
interface Line {
  number: number;
  network: string;
}

/** The entered networks, one a line. */
export function useNetworks(initial: string[] | null) {
  const [text, setText] = useState(initial?.join('\n') ?? '');
  const [sent, setSent] = useState<Line[]>([]);
  return {
    text,
    setText,
    /** The lines of the last value for the API, to which its faults refer. */
    sent,
    /** The value for the API; null is anywhere. */
    allowedNetworks(): string[] | null {
      const lines = linesOf(text);
      setSent(lines);
      return networksIn(lines);
    },
    /** Whether it differs from what it was, and is not anywhere. */
    isLimitedAnew: text.trim() !== '' && String(networksIn(linesOf(text))) !== String(initial),
  };
}

interface Props {
  networks: ReturnType<typeof useNetworks>;
  /** The error of the list as a whole. */
  error?: string;
  /** The faults of single networks. */
  faults: Fault[];
}

export function NetworksField({ networks: { text, setText, sent }, error, faults }: Props) {
  const inLines = faults.map(({ field, message }) => {
    const { number, network } = sent[Number(field.split('.')[1])];
    return `line ${number} (${network}) ${message}`;
  });
  return (
    <Field
      label="Allowed networks"
      hint="Optional. One network or address a line, such as 203.0.113.0/24. Leave it empty to allow all."
      error={error ?? (faults.length > 0 ? `are not valid: ${inLines.join('; ')}` : undefined)}
    >
      {(field) => (
        <textarea
          {...field}
          class="mono"
          rows={3}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .map((line, i) => ({ number: i + 1, network: line.trim() }))
    .filter(({ network }) => network !== '');

const networksIn = (lines: Line[]) => (lines.length > 0 ? lines.map(({ network }) => network) : null);
