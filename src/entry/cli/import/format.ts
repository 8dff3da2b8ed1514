import { Option } from 'commander';

const FORMATS = ['csv', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

export const formatOption = () =>
  new Option(
    '--format <format>',
    'file format; by default CSV for .csv and .tsv (with tabs), else NDJSON',
  ).choices(FORMATS);

/** The requested format, otherwise the one of the file extension, otherwise NDJSON. */
export const fileFormatOf = (path: string, requested?: Format): Format =>
  requested ?? (/\.[ct]sv$/i.test(path) ? 'csv' : 'ndjson');

/** Whether the extension says that the CSV has tabs. */
export const isTsv = (path: string) => /\.tsv$/i.test(path);
