import type { Fault } from '../../../platform/http/fault';
import { USER_FIELDS, WRITABLE_FIELDS } from '../../../users/user/user.entity';

/** What an export contains beside the fields that an import sets. An import ignores it. */
export const IGNORED_FIELDS: readonly string[] = [
  ...USER_FIELDS.filter((name) => !WRITABLE_FIELDS.includes(name as never)),
  'directory',
];

/** A row of a file, with its content, or the reasons why it cannot be parsed and what of it can. */
export interface ImportRow {
  /** The number of its first line, counted from 1 as in an editor. */
  line: number;
  input?: unknown;
  faults?: Fault[];
  /** Approximate memory use. */
  bytes: number;
  /** The row in the format of its file, with the reason why it was refused. An import ignores the reason. */
  refused(reason: string): string | Buffer;
}

export interface ImportFile {
  /** Throws if the file as a whole is not in the format. */
  rows: AsyncIterable<ImportRow>;
  /** The text before the rows in a file of refused rows. */
  refusedHeader?(): string;
  /** How to import the rows without those of these fields at fault that a user can do without. */
  adviceOn?(fields: ReadonlySet<string>): string;
  /** Whether the metadata in its rows has only some keys, which are to be merged into what a user has. */
  hasMetadataKeys?(): boolean;
}

/** The maximum size of a line in bytes, the same as for a request body. */
export const MAX_ROW_BYTES = 64 * 1024;

/** A fault of a row as a whole. */
export const rowFault = (code: Fault['code'], message: string): Fault => ({ field: 'body', code, message });
