import { closeSync, openSync, writeFileSync } from 'node:fs';
import type { Fault } from '../../http/fault';
import { printable } from '../../process/printable';
import type { Outcome } from '../../users/import/import-rules';
import type { ImportFile, Row } from './import-file';

/** How many refused rows the terminal shows; the file has all of them. */
const MAX_SHOWN = 5;

/**
 * Writes the refused rows to a file in the format of the input, which can be corrected and imported. Only the owner may
 * read it: it has personal data.
 */
export class RefusedRows {
  readonly firstReasons: string[] = [];
  private file?: number;

  constructor(
    private readonly path: string,
    private readonly input: ImportFile,
  ) {}

  write(batch: Row[], outcomes: Outcome[]): void {
    const refused = batch.flatMap((row, i) => {
      const faults = outcomes[i];
      if (!Array.isArray(faults)) return [];
      const reason = `line ${row.line}: ${faults.map(describeFault).join('; ')}`;
      if (this.firstReasons.length < MAX_SHOWN) this.firstReasons.push(reason);
      return Buffer.from(row.refused(reason));
    });
    if (refused.length === 0) return;
    if (this.file === undefined) {
      this.file = openSync(this.path, 'w', 0o600);
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

const describeFault = ({ field, message }: Fault) =>
  printable(`${field === 'body' ? 'row' : field} ${message}`);
