import { InvalidArgumentError } from 'commander';
import { columnKey } from '../../../../csv/csv-file';
import { parseRow } from '../../../../csv/csv-rows';
import { unescapeFormula } from '../../../../csv/formulas';
import { proposeKey, proposeTargets, targetOfHeader } from '../../../../csv/proposals';
import {
  clashOf,
  keyFault,
  keyInName,
  keyOfTarget,
  metadataTarget,
  type Target,
} from '../../../../csv/targets';
import { formatRows } from '../../../../csv/write-csv';
import { MAX_KEYS } from '../../../users/user/metadata.check';
import { WRITABLE_FIELDS } from '../../../users/user/user.entity';
import { IGNORED_FIELDS } from './import-file';

const FIELDS = `${WRITABLE_FIELDS.join(', ')} or metadata.<key>`;

const FIELD_NAMES = new Map([...WRITABLE_FIELDS, ...IGNORED_FIELDS].map((name) => [columnKey(name), name]));

/** What `--map` says about a column. */
export interface Mapping {
  column: string;
  target: Target;
}

/** The field by which an import finds the users of its rows. */
export type ImportIdentity = 'email' | 'externalId';

export interface ColumnOptions {
  map?: Mapping[];
  /** The names of columns to leave out, as a row of CSV. */
  ignoreColumns?: string;
  /** The column that a file must have. Default: email. */
  by?: ImportIdentity;
}

/** Adds a value of `--map` to those before it. A header may contain an equals sign, so the last one counts. */
export function parseMapping(text: string, earlier: Mapping[] = []): Mapping[] {
  const at = text.lastIndexOf('=');
  if (at < 0) throw new InvalidArgumentError('It must be <column>=<field>, such as "Work email=email".');
  const [column, name] = [text.slice(0, at), text.slice(at + 1)];
  if (earlier.some((other) => columnKey(other.column) === columnKey(column)))
    throw new InvalidArgumentError('An earlier --map names the same column.');
  const target = name.trim() === '' ? undefined : targetNamed(name);
  const fault = keyFault(keyOfTarget(target) ?? 'key');
  if (fault) throw new InvalidArgumentError(`The key of the metadata ${fault}.`);
  if (name.trim() !== '' && !isWritable(target))
    throw new InvalidArgumentError(
      `After the equals sign it must have ${FIELDS}, or nothing to leave the column out.`,
    );
  return [...earlier, { column, target }];
}

/** What a column with this name becomes by itself: a field, possibly one that is ignored, or a key of the metadata. */
function targetNamed(name: string): Target {
  const key = keyInName(name);
  return key === undefined ? FIELD_NAMES.get(columnKey(name)) : metadataTarget(key);
}

const isWritable = (target: Target) =>
  WRITABLE_FIELDS.includes(target as never) || keyOfTarget(target) !== undefined;

/** Whether a file is expected to have a column of this name. */
export const isKnownColumn =
  ({ map = [] }: ColumnOptions) =>
  (name: string) =>
    targetNamed(name) !== undefined ||
    targetOfHeader(name) !== undefined ||
    map.some(({ column }) => columnKey(column) === columnKey(name));

/** The target of each column. Throws if the columns are not those of an import with these options. */
export function targetsOfColumns(
  names: string[],
  { map = [], ignoreColumns, by: required = 'email' }: ColumnOptions,
): Target[] {
  const ignored = (ignoreColumns === undefined ? [] : namesIn(ignoreColumns)).map(columnKey);
  const mapped = new Map(map.map(({ column, target }) => [columnKey(column), target]));
  const keys = names.map(columnKey);
  for (const { column } of map) {
    const name = quotedNames([column]);
    if (ignored.includes(columnKey(column)))
      throw new Error(`--map and --ignore-columns both name the column ${name}.`);
    if (!keys.includes(columnKey(column)))
      throw new Error(
        `There is no column ${name}, which --map names. The first line has ${quotedNames(names)}.`,
      );
  }
  const isLeftOut = (key: string) => ignored.includes(key) || (mapped.has(key) && !mapped.get(key));
  const targets = names.map((name, at) =>
    isLeftOut(keys[at]) ? undefined : (mapped.get(keys[at]) ?? targetNamed(name)),
  );
  const isUnknown = targets.map((target, at) => target === undefined && !isLeftOut(keys[at]));
  const unknown = names.filter((_name, at) => isUnknown[at]);
  const advice = unknown.length > 0 ? ` ${adviceOn(names, targets, isUnknown)}` : '';
  if (!targets.includes(required))
    throw new Error(
      `The column ${required} is missing; the first line has ${quotedNames(names)}.${advice} Columns can be ` +
        `${FIELDS}. For a delimiter other than comma, semicolon or tab, use --delimiter.`,
    );
  if (unknown.length > 0)
    throw new Error(
      `Unknown ${unknown.length > 1 ? 'columns' : 'column'}: ${quotedNames(unknown)}.${advice} Columns can be ${FIELDS}.`,
    );
  requireDistinct(names, targets);
  return targets;
}

function namesIn(csv: string): string[] {
  const names = parseRow(csv);
  if (!names) throw new Error('--ignore-columns must be a row of CSV, with commas.');
  return names.map(unescapeFormula); // as in the header
}

function requireDistinct(names: string[], targets: Target[]): void {
  for (const key of targets.map(keyOfTarget)) {
    const fault = key === undefined ? undefined : keyFault(key);
    if (fault) throw new Error(`The key of the column ${quotedNames([metadataTarget(key!)])} ${fault}.`);
  }
  const clash = clashOf(targets);
  if (!clash) return;
  const { target, columns } = clash;
  const both = `The columns ${columns.map((at) => quotedNames([names[at]])).join(' and ')}`;
  throw new Error(
    columns.every((at) => targets[at] === target)
      ? `${both} both become ${target}. Leave one out with --map, as in ${argumentFor(`${names[columns[1]].trim()}=`)}.`
      : `${both} exclude each other: one has the metadata as a whole, one a key of it.`,
  );
}

/** How to import unknown columns, or leave them out. What is proposed does not clash, and fits into metadata. */
function adviceOn(names: string[], targets: Target[], isUnknown: boolean[]): string {
  const proposed = proposeTargets(names, []);
  const unknown = names.map((name) => name.trim()).filter((_name, at) => isUnknown[at]);
  const taken = new Set(targets);
  let keys = taken.has('metadata') ? 0 : MAX_KEYS - [...taken].filter(keyOfTarget).length;
  const targetFor = (at: number): string => {
    const key = proposeKey(names[at]);
    const target = proposed[at] ?? (keyFault(key) ? '' : metadataTarget(key));
    const isBetterElsewhere = target !== proposed[at] && proposed.includes(target);
    if (taken.has(target) || isBetterElsewhere || (keyOfTarget(target) !== undefined && keys-- <= 0))
      return '';
    taken.add(target);
    return target;
  };
  const maps = names.flatMap((name, at) => (isUnknown[at] ? [mapOption(name, targetFor(at))] : []));
  const them = unknown.length > 1 ? 'them' : 'it';
  return (
    `To import ${them}, use ${maps.join(' ')}. To leave ${them} out, use ` +
    `--ignore-columns ${argumentFor(formatRows([unknown], ',').trimEnd())}.`
  );
}

/** The option that makes a column a target, or leaves it out if that is empty. */
export const mapOption = (name: string, target: string) => `--map ${argumentFor(`${name.trim()}=${target}`)}`;

const argumentFor = (text: string) => (text.includes('"') ? `'${text}'` : `"${text}"`);

/** A message names no more columns. */
const MAX_NAMES = 10;

/** Names in quotes. Something that is not a header can be very long. */
const quotedNames = (names: string[]) =>
  names
    .slice(0, MAX_NAMES)
    .map((name) => JSON.stringify(name.trim().slice(0, 64)))
    .concat(names.length > MAX_NAMES ? '…' : [])
    .join(', ');
