import { closeSync, fstatSync, openSync, readSync, type Stats, writeSync } from 'node:fs';
import type { Shell } from '../shell';
import { PipeReaders } from './pipe-readers';

/** The codes of a write that nobody can read any more; that of a socket may have left something unread. */
const WITHOUT_READER = /^(EPIPE|ECONNRESET|ERR_STREAM_DESTROYED)$/;

/** Nobody reads standard output any more, as after `| head`. */
export class ReaderGone extends Error {}

/** Standard output, of whose lines it is known when the system has taken them. */
export class Output {
  private readonly descriptor?: number;
  private readonly kind?: Stats;
  private readonly readers?: PipeReaders;

  constructor(private readonly stdout: Shell['stdout'] & { fd?: number }) {
    this.descriptor = stdout.fd;
    if (this.descriptor === undefined) return;
    this.kind = fstatSync(this.descriptor);
    if (this.kind.isFIFO()) this.readers = new PipeReaders(this.descriptor);
    if (this.kind.isFile() && endsAmidLine(this.descriptor, this.kind.size)) this.writeToFile('\n');
  }

  /** Resolves once the system has taken all of the text. It goes on as long as nobody reads. */
  async write(text: string): Promise<void> {
    if (this.kind?.isFile()) return this.writeToFile(text);
    await new Promise<void>((resolve, reject) => {
      this.stdout.write(text, (error) => {
        if (!error) resolve();
        else
          reject(WITHOUT_READER.test((error as NodeJS.ErrnoException).code ?? '') ? new ReaderGone() : error);
      });
    });
  }

  /** Rejects once nobody can read any more what would be written. */
  async requireReader(): Promise<void> {
    if (this.readers?.haveLeft()) throw new ReaderGone();
    if (this.kind?.isSocket()) await this.write(''); // fails without a reader; a pipe would take it
  }

  /** Node would take a part of the text for all of it when the disk is full. */
  private writeToFile(text: string): void {
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length;)
      written += writeSync(this.descriptor!, bytes, written, bytes.length - written);
  }
}

/** Whether a process that was killed has left a part of a line, which would spoil the next one. */
function endsAmidLine(descriptor: number, size: number): boolean {
  if (size === 0) return false;
  try {
    const file = openSync(`/proc/self/fd/${descriptor}`, 'r'); // it is open for writing alone
    const last = Buffer.alloc(1);
    readSync(file, last, 0, 1, size - 1);
    closeSync(file);
    return last.toString() !== '\n';
  } catch {
    return true; // an empty line does no harm
  }
}
