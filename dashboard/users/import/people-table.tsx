import type { ComponentChildren } from 'preact';
import type { CsvRow } from '../../../csv/csv-file.ts';
import type { Target } from '../../../csv/targets.ts';
import { Clip, type Column, Table } from '../../ui/table.tsx';
import { ROLES } from '../user/roles.ts';
import { type CsvHead, elementOf } from './csv-file.ts';
import type { Refused } from './progress.ts';
import type { ImportRules } from './run-import.ts';

interface Props {
  head: CsvHead;
  targets: Target[];
  rules: ImportRules;
  /** The rows that are known to be refused. */
  refused: Refused[];
}

interface Person {
  row: CsvRow;
  values: Record<string, unknown>;
}

const PEOPLE = 5;

/** The first people of a file as they would become. */
export function PeopleTable({ head, targets, rules, refused }: Props) {
  const people = head.rows
    .filter(({ fault }) => !fault)
    .slice(0, PEOPLE)
    .map((row): Person => {
      const element = elementOf(row, targets);
      return { row, values: 'user' in element ? { ...element.user } : {} };
    });
  if (people.length === 0) return null;
  const isRefused = ({ line }: CsvRow) => refused.some(({ row }) => row.line === line);
  /** What a new user becomes without a value; a user who exists keeps what it has. */
  const without = (value: string) => <span class="quiet">{rules.mode === 'create' ? value : '–'}</span>;
  const columns: Column<Person>[] = [
    {
      title: 'Name',
      class: 'main',
      value: ({ row, values }) => (
        <span class="to-be">
          <span class="name">{textOf(values.name) ?? '–'}</span>
          {isRefused(row) && <span class="chip warning">Refused</span>}
        </span>
      ),
    },
    { title: 'Email', value: ({ values }) => <Clip text={textOf(values.email) ?? '–'} /> },
    ...(targets.includes('externalId')
      ? [
          {
            title: 'External ID',
            value: ({ values }: Person) => <Clip text={textOf(values.externalId) ?? '–'} />,
          },
        ]
      : []),
    {
      title: 'Role',
      class: 'narrow-value',
      value: ({ values: { role } }) => (role === undefined ? without(ROLES.member) : roleOf(role)),
    },
    {
      title: 'State',
      class: 'narrow-value',
      value: ({ values: { active } }) => (active === undefined ? without('Active') : stateOf(active)),
    },
    {
      title: 'Metadata',
      class: 'wide-value',
      value: ({ values: { metadata } }) => <Chips metadata={metadata} />,
    },
  ];
  return (
    <div class="people stack">
      <h3>{people.length === 1 ? 'The first person' : 'The first people'}</h3>
      <Table caption="The first people" columns={columns} items={people} />
    </div>
  );
}

const textOf = (value: unknown) => (value === undefined ? undefined : String(value).trim() || undefined);

/** A value that is none is shown as it is: the service says why it is refused. */
const roleOf = (role: unknown): ComponentChildren => (
  <span class="chip">
    {Object.hasOwn(ROLES, String(role)) ? ROLES[role as keyof typeof ROLES] : String(role)}
  </span>
);

const stateOf = (active: unknown) =>
  typeof active === 'boolean' ? (active ? 'Active' : 'Inactive') : String(active);

function Chips({ metadata }: { metadata: unknown }) {
  const pairs = Object.entries(Object(metadata) as Record<string, unknown>);
  if (pairs.length === 0) return <>–</>;
  return (
    <span class="chips">
      {pairs.map(([key, value]) => {
        const text = `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
        return (
          <span key={key} class="chip" title={text}>
            {text}
          </span>
        );
      })}
    </span>
  );
}
