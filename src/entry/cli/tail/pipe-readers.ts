import { lstatSync, readdirSync, readlinkSync } from 'node:fs';

const READABLE = 0o400;

/**
 * Who reads a pipe. Only a write would tell that nobody does, and there is none while nothing happens; but Linux shows
 * which processes have it open. Those that may not be looked at, as outside of a container, count as present.
 */
export class PipeReaders {
  private readonly pipe: string | undefined;
  /** Where a process has it open. */
  private reader: string | undefined;

  constructor(descriptor: number) {
    this.pipe = linkAt(`/proc/self/fd/${descriptor}`);
    this.reader = this.find();
  }

  /** Whether there were some, and none is left. */
  haveLeft(): boolean {
    if (this.reader === undefined || this.isReader(this.reader)) return false;
    this.reader = this.find();
    return this.reader === undefined;
  }

  private find(): string | undefined {
    for (const process of entriesOf('/proc').filter((name) => /^\d+$/.test(name)))
      for (const descriptor of entriesOf(`/proc/${process}/fd`)) {
        const path = `/proc/${process}/fd/${descriptor}`;
        if (this.isReader(path)) return path;
      }
    return undefined;
  }

  private isReader(path: string): boolean {
    if (this.pipe === undefined || linkAt(path) !== this.pipe) return false;
    const mode = lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    return (mode & READABLE) !== 0;
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // of another user, or gone
  }
}
