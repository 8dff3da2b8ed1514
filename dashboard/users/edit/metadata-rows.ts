import type { User } from '../../../client/index.ts';
import { LocalFaults } from '../../ui/faults.ts';

type Metadata = User['metadata'];

/** A key and its value in the editor: strings are edited as they are, other values as JSON. */
export interface MetadataRow {
  id: number;
  key: string;
  kind: 'text' | 'json';
  text: string;
}

export const MAX_KEYS = 16;

let lastId = 0;

export const newRow = (): MetadataRow => ({ id: ++lastId, key: '', kind: 'text', text: '' });

export const rowsOf = (metadata: Metadata): MetadataRow[] =>
  Object.entries(metadata).map(([key, value]) =>
    typeof value === 'string'
      ? { ...newRow(), key, text: value }
      : { ...newRow(), key, kind: 'json', text: JSON.stringify(value) },
  );

/** The name that the service uses for a key in its faults. */
export const fieldOf = (key: string) =>
  `metadata.${key.length > 64 ? `${key.slice(0, 64).toWellFormed()}…` : key.toWellFormed()}`;

/** Converts rows to metadata. Skips empty rows; throws `LocalFaults` for duplicate keys and invalid JSON. */
export function metadataOf(rows: MetadataRow[]): Metadata {
  const filled = rows.filter(({ key, kind, text }) => key !== '' || kind === 'json' || text !== '');
  const faults: { field: string; message: string }[] = [];
  const seen = new Set<string>();
  for (const { key, kind, text } of filled) {
    if (seen.has(key)) faults.push({ field: fieldOf(key), message: 'occurs more than once' });
    else if (kind === 'json' && !isJson(text))
      faults.push({ field: fieldOf(key), message: 'is not valid JSON' });
    seen.add(key);
  }
  if (faults.length > 0) throw new LocalFaults(faults);
  // fromEntries() keeps `__proto__` as an ordinary key, so that the service can reject it.
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
