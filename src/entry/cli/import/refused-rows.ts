import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  openSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import type { Fault } from '../../../platform/http/fault';
import { printable } from '../../process/log/pretty-log';
import { count } from '../progress';
import type { ImportFile, ImportRow } from './import-file';

/** The terminal shows this many refused rows. */
export const MAX_SHOWN = 5;

/** What the terminal shows of so many refused rows. */
export function firstRefused(firstShown: readonly string[], refused: number): string {
  const more = refused > firstShown.length ? [`and ${count(refused - firstShown.length)} more`] : [];
  return `Refused:\n${[...firstShown, ...more].map((text) => `  ${text}\n`).join('')}`;
}

/**
 * Writes the refused rows to a file in the format of the input, which can be corrected and imported. Only the owner may
 * read it: it has personal data.
 */
export class RefusedRows {
  /** What the terminal shows: unlike the reasons in the file, with the name or email. */
  readonly firstShown: string[] = [];
  /** The fields at fault. */
  readonly fields = new Set<string>();
  private file?: number;

  constructor(
    private readonly path: string,
    private readonly input: ImportFile,
  ) {}

  /** Writes those rows of the batch that have faults. */
  write(batch: ImportRow[], faultsOf: (row: ImportRow) => Fault[] | undefined): void {
    const refused = batch.flatMap((row) => {
      const faults = faultsOf(row);
      if (!faults) return [];
      faults.forEach(({ field }) => this.fields.add(field));
      const reasons = faults.map(describeFault).join('; ');
      if (this.firstShown.length < MAX_SHOWN)
        this.firstShown.push(`line ${row.line}${labelOf(row)}: ${reasons}`);
      return Buffer.from(row.refused(`line ${row.line}: ${reasons}`));
    });
    if (refused.length === 0) return;
    if (this.file === undefined) {
      this.file = openPrivate(this.path, 'w');
      refused.unshift(Buffer.from(this.input.refusedHeader?.() ?? ''));
    }
    writeFileSync(this.file, Buffer.concat(refused));
  }

  /** Returns the path, or null if no file was created. */
  close(): string | null {
    if (this.file === undefined) return null;
    closeSync(this.file);
    return this.path;
  }
}

/** Throws if the file cannot be written, which an import would otherwise notice only after it has committed rows. */
export function requireWritable(path: string): void {
  try {
    if (existsSync(path)) closeSync(openPrivate(path, 'r+'));
    else accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    const [, reason] = getSystemErrorMap().get((error as NodeJS.ErrnoException).errno!)!;
    throw new Error(
      `The file for refused rows cannot be written at ${path}: ${reason}. Name another one with --refused.`,
      { cause: error },
    );
  }
}

/** Opens a file that only its owner may read, even if it existed with another mode. */
function openPrivate(path: string, flags: 'w' | 'r+'): number {
  const file = openSync(path, flags, 0o600);
  if (fstatSync(file).isFile()) fchmodSync(file, 0o600);
  return file;
}

/** The name of the row's user, or else the email. */
function labelOf({ input }: ImportRow): string {
  const { name, email } = Object(input) as Record<string, unknown>;
  const label = [name, email].find((value) => typeof value === 'string' && value.trim() !== '');
  return label === undefined ? '' : printable(`, ${(label as string).trim().slice(0, MAX_LABEL)}`);
}

const MAX_LABEL = 60;

const describeFault = ({ field, message }: Fault) =>
  printable(`${field === 'body' ? 'row' : field} ${message}`);
