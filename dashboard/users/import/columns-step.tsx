import { useRef, useState } from 'preact/hooks';
import { SelectField } from '../../ui/select-field.tsx';
import { ColumnsTable } from './columns-table.tsx';
import { type Rule, RULES } from './labels.ts';
import { faultsOf } from './targets.ts';
import type { Draft } from './use-draft.ts';
import { recognitionOf } from './words.ts';

interface Props {
  draft: Draft;
  onChange(changes: Partial<Draft>): void;
  onPreview(): void;
}

/** What the columns become, and what happens to users who exist. */
export function ColumnsStep({ draft: { head, proposed, targets, rule }, onChange, onPreview }: Props) {
  /** Whether the person has asked for the next step. Before that, what is missing is no error. */
  const [isAsked, setAsked] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const identity = rule === 'externalId' ? rule : 'email';
  const missing = targets.includes(identity)
    ? undefined
    : `Choose the column that has the ${identity === 'email' ? 'email' : 'external ID'}.`;
  const faults = faultsOf(targets, head.header);
  const isReady = !missing && !faults.some(Boolean);
  return (
    <form
      class="stack"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) return onPreview();
        setAsked(true);
        form.current!.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
      }}
    >
      <p class="quiet">{recognitionOf(head.header, proposed)}</p>
      <ColumnsTable
        head={head}
        targets={targets}
        faults={faults}
        onTargets={(targets) => onChange({ targets })}
      />
      <div class="existing">
        <SelectField
          label="If the user already exists"
          options={RULES}
          value={rule}
          onValue={(rule) => onChange({ rule: rule as Rule })}
        />
      </div>
      {!targets.includes('name') && (
        <p class="hint">New users need a name, but no column becomes the name.</p>
      )}
      {missing && !isAsked && <p class="hint">{missing}</p>}
      <p class="error" role="alert">
        {isAsked && missing}
      </p>
      <div class="buttons">
        <button class="primary" aria-disabled={!isReady}>
          Preview
        </button>
      </div>
    </form>
  );
}
