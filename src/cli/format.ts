export const FORMATS = ['csv', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

/** The requested format, otherwise the one of the file extension, otherwise NDJSON. */
export const formatOf = (path: string, requested?: Format): Format =>
  requested ?? (/\.csv$/i.test(path) ? 'csv' : 'ndjson');
