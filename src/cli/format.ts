export const FORMATS = ['csv', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

/** The format that is asked for, else that of the ending, else NDJSON. */
export const formatOf = (path: string, given?: Format): Format =>
  given ?? (/\.csv$/i.test(path) ? 'csv' : 'ndjson');
