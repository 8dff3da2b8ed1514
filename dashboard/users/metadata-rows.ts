import type { User } from '../../client/index.ts';
import { LocalFaults } from '../ui/use-submit.ts';

type Metadata = User['metadata'];

/** A key and its value as a person edits them: a text as it is, and any other value as JSON. */
export interface MetadataRow {
  id: number;
  key: string;
  kind: 'text' | 'json';
  text: string;
}

export const MAX_KEYS = 16;

let made = 0;

export const newRow = (): MetadataRow => ({ id: ++made, key: '', kind: 'text', text: '' });

export const rowsOf = (metadata: Metadata): MetadataRow[] =>
  Object.entries(metadata).map(([key, value]) =>
    typeof value === 'string'
      ? { ...newRow(), key, text: value }
      : { ...newRow(), key, kind: 'json', text: JSON.stringify(value) },
  );

/** What the service calls the value of a key when something is wrong with it. */
export const fieldOf = (key: string) =>
  `metadata.${key.length > 64 ? `${key.slice(0, 64).toWellFormed()}…` : key.toWellFormed()}`;

/** The metadata of these rows; a row that is all empty is none. Throws what only the page can know to be wrong. */
export function metadataOf(rows: MetadataRow[]): Metadata {
  const filled = rows.filter(({ key, kind, text }) => key !== '' || kind === 'json' || text !== '');
  const faults: { field: string; message: string }[] = [];
  const seen = new Set<string>();
  for (const { key, kind, text } of filled) {
    if (seen.has(key)) faults.push({ field: fieldOf(key), message: 'stands here twice' });
    else if (kind === 'json' && !isJson(text)) faults.push({ field: fieldOf(key), message: 'is not JSON' });
    seen.add(key);
  }
  if (faults.length > 0) throw new LocalFaults(faults);
  // fromEntries() takes a key `__proto__` for what it is, so that the service can refuse it.
  return Object.fromEntries(
    filled.map(({ key, kind, text }) => [key, kind === 'json' ? (JSON.parse(text) as unknown) : text]),
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
