import { raw, type Sql, sql } from '../../platform/database/sql';
import { isInstant } from '../../platform/http/input/checks';
import { literal, readConditions, type Condition } from './conditions';
import { invalidFilter } from '../schema/scim-error';
import { type Attribute } from '../schema/attribute';
import { type ResourceSchema, type Reference, resolve } from '../schema/resource-schema';
import { KEYED } from '../schema/user.schema';
import { Lexer } from './lexer';

const SQL_OPERATORS = { eq: '=', gt: '>', ge: '>=', lt: '<', le: '<=' };

/** `path` is canonical, without a URN: one of FILTERABLE, such as `emails.value` or `manager.value`. */
export interface Comparison {
  path: string;
  op: keyof typeof SQL_OPERATORS;
  /** A Date for `meta.created` and `meta.lastModified`, a boolean for `active`. */
  value: string | boolean | Date;
  /** Restricts the comparison to values of this type (`emails[type eq "work"]`), ignoring case. */
  type?: string;
}

/** The attributes that a filter can name. A complex attribute stands for its value: `manager eq "…"`. */
const FILTERABLE: Record<ResourceSchema['name'], readonly string[]> = {
  User: [
    ...KEYED,
    'id',
    'userName',
    'active',
    'emails.value',
    'groups.value',
    'manager',
    'meta.created',
    'meta.lastModified',
  ],
  Group: ['id', 'displayName', 'externalId', 'members', 'members.value', 'meta.created', 'meta.lastModified'],
};

/** The attributes that accept conditions in brackets. */
const IN_BRACKETS: Record<string, readonly string[]> = { emails: ['type', 'value'], members: ['value'] };

const MAX_LENGTH = 4096;
const MAX_COMPARISONS = 20;
const MAX_PARENTHESES = 20;

/** The comparisons of a filter, joined by AND. Throws 400 `invalidFilter` for anything that is not supported. */
export function parseFilter(schema: ResourceSchema, filter: unknown): Comparison[] {
  if (typeof filter !== 'string') throw invalidFilter('The filter must be a string');
  const lexer = new Lexer(filter, MAX_LENGTH, (detail) =>
    invalidFilter(`The filter is not valid. ${detail}`),
  );
  const comparisons: Comparison[] = [];
  readAll(schema, lexer, comparisons, 0);
  lexer.expectEnd();
  return comparisons;
}

function readAll(schema: ResourceSchema, lexer: Lexer, into: Comparison[], depth: number): void {
  do {
    if (lexer.take('(')) {
      if (depth === MAX_PARENTHESES) throw lexer.refuse('It has too many parentheses');
      readAll(schema, lexer, into, depth + 1);
      lexer.expect(')');
    } else into.push(readComparison(schema, lexer));
    if (into.length > MAX_COMPARISONS) throw lexer.refuse(`It has more than ${MAX_COMPARISONS} comparisons`);
  } while (lexer.take('and'));
}

function readComparison(schema: ResourceSchema, lexer: Lexer): Comparison {
  const reference = resolve(schema, lexer.word());
  if (!reference?.attribute) throw lexer.refuse('It names an attribute that does not exist');
  const { attribute } = reference;
  if (!lexer.take('[')) return readSimple(schema, lexer, reference);
  const conditions = readConditions(lexer, attribute);
  const allowed = IN_BRACKETS[attribute.name] ?? [];
  if (reference.sub || conditions.some(({ sub }) => !allowed.includes(sub.name)))
    throw lexer.refuse('It has a comparison in brackets that is not supported');
  const sub = lexer.takeSub();
  if (sub !== undefined) conditions.push(readValue(lexer, attribute, sub));
  return comparisonOf(lexer, attribute, conditions);
}

/** Reads what follows `emails[type eq "work"]`: `.value eq "…"`. */
function readValue(lexer: Lexer, { subAttributes }: Attribute, name: string): Condition {
  const value = subAttributes!.find((sub) => sub.name === 'value');
  if (!value || name.toLowerCase() !== 'value') throw lexer.refuse('Only .value can follow the brackets');
  lexer.expect('eq');
  return { sub: value, value: literal(lexer, value, lexer.next()) };
}

function comparisonOf(lexer: Lexer, { name }: Attribute, conditions: readonly Condition[]): Comparison {
  const values = conditions.filter(({ sub }) => sub.name === 'value');
  const types = conditions.filter(({ sub }) => sub.name === 'type');
  if (values.length !== 1 || types.length > 1)
    throw lexer.refuse(`It must compare the value of ${name} once, and its type at most once`);
  const path = `${name}.value`;
  const [type] = types;
  return { path, op: 'eq', value: values[0].value, ...(type && { type: String(type.value) }) };
}

function readSimple(schema: ResourceSchema, lexer: Lexer, { attribute, sub }: Reference): Comparison {
  const path = sub ? `${attribute!.name}.${sub.name}` : attribute!.name;
  if (!FILTERABLE[schema.name].includes(path)) throw lexer.refuse(`${path} cannot be used in a filter`);
  const op = lexer.word().toLowerCase();
  const compared = sub ?? attribute!;
  const isDateTime = compared.type === 'dateTime';
  if (!Object.hasOwn(SQL_OPERATORS, op) || (op !== 'eq' && !isDateTime))
    throw lexer.refuse(`${path} does not support this operator`);
  const value = literal(lexer, compared, lexer.next());
  return {
    path: compared.type === 'complex' ? `${path}.value` : path,
    op: op as Comparison['op'],
    value: isDateTime ? instant(lexer, path, value) : value,
  };
}

function instant(lexer: Lexer, path: string, value: string | boolean): Date {
  if (!isInstant(value))
    throw lexer.refuse(`${path} must be compared with a time such as "2026-01-31T09:30:00.000Z"`);
  return new Date(value);
}

/** The columns of users and groups with a time, which have an index. */
const TIMES: Record<string, string> = { 'meta.created': 'created_at', 'meta.lastModified': 'updated_at' };

export const isTime = ({ path }: Comparison): boolean => path in TIMES;

/** A comparison of a time, as a condition on a row. */
export const whereTime = ({ path, op, value }: Comparison): Sql =>
  sql`${raw(TIMES[path])} ${raw(SQL_OPERATORS[op])} ${value as Date}`;
