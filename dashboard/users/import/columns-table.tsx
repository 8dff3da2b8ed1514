import { keyOfTarget, metadataTarget, type Target } from '../../../csv/targets.ts';
import { Clip, type Column, Table } from '../../ui/table.tsx';
import type { CsvHead } from './csv-file.ts';
import { CHOICES } from './labels.ts';
import { KEY, withChoice } from './targets.ts';

interface Props {
  head: CsvHead;
  targets: Target[];
  /** What is wrong with them. */
  faults: (string | undefined)[];
  onTargets(targets: Target[]): void;
}

/** The values of a column that are shown. */
const EXAMPLES = 3;

/** The columns of a file, each with some of its values and a choice of what it becomes. */
export function ColumnsTable({ head: { file, header, rows }, targets, faults, onTargets }: Props) {
  const columns: Column<{ name: string; at: number }>[] = [
    {
      title: 'Column',
      width: '24%',
      class: 'main',
      value: ({ name, at }) => <span class={targets[at] === undefined ? 'quiet' : 'name'}>{name}</span>,
    },
    {
      title: 'Examples',
      width: '34%',
      value: ({ at }) => (
        <div class="quiet">
          <Clip text={examplesOf(at)} />
        </div>
      ),
    },
    {
      title: 'Becomes',
      width: '42%',
      value: ({ name, at }) => {
        const key = keyOfTarget(targets[at]);
        const errorId = `column-${at}-error`;
        return (
          <div class="target">
            <select
              aria-label={`${name} becomes`}
              value={key === undefined ? (targets[at] ?? '') : KEY}
              onChange={(event) => onTargets(withChoice(targets, at, event.currentTarget.value, header))}
            >
              {CHOICES.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
            {key !== undefined && (
              <input
                type="text"
                autocomplete="off"
                autocapitalize="off"
                spellcheck={false}
                aria-label={`Key for ${name}`}
                aria-invalid={faults[at] ? true : undefined}
                aria-describedby={faults[at] && errorId}
                value={key}
                onInput={(event) => onTargets(targets.with(at, metadataTarget(event.currentTarget.value)))}
              />
            )}
            <p class="error" id={errorId} role="alert">
              {faults[at]}
            </p>
          </div>
        );
      },
    },
  ];
  const examplesOf = (at: number) => {
    const filled = rows.map(({ cells }) => cells[at]?.trim()).filter(Boolean);
    return [...new Set(filled)].slice(0, EXAMPLES).join(' · ') || 'no values';
  };
  return (
    <Table
      caption={`The columns of ${file.name}`}
      columns={columns}
      items={header.map((name, at) => ({ name, at }))}
    />
  );
}
