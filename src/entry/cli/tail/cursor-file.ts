import { createHash } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf } from '../../../platform/database/errors';

/** The last event of an organization that has been printed. */
export interface Position {
  /** Its number; before the first event, the number of the last one that is no longer kept. */
  sequence: number;
  /** Its id, because after a restored backup another event may get the number; empty if it is not known. */
  id: string;
}

/** By the ids of their organizations. */
type Positions = ReadonlyMap<string, Position>;

const VERSION = 1;

/** Keeps positions in a file. One process at a time may use it. */
export class CursorFile {
  /** What the file system says of the file that was read or written last. */
  private known: string | undefined;

  constructor(private readonly path: string) {}

  /** The positions in the file; none if it is not there. Throws if it is damaged. */
  read(): Positions {
    this.known = this.identity();
    if (this.known === undefined) return new Map();
    const text = this.attempt('read', () => readFileSync(this.path, 'utf8'));
    this.attempt('written', () => accessSync(this.path, constants.W_OK));
    try {
      const { version, sha256, positions } = JSON.parse(text);
      if (version === VERSION && sha256 === digestOf(JSON.stringify(positions)))
        return new Map(
          Object.entries<[number, string]>(positions).map(([organizationId, [sequence, id]]) => [
            organizationId,
            { sequence, id },
          ]),
        );
    } catch {
      // It is empty, cut, or another kind of file.
    }
    throw new Error(`The cursor file ${this.path} is damaged. ${WITHOUT_FILE}`);
  }

  /** Replaces the file, so that it is whole after a crash, too. Throws if another process has changed it meanwhile. */
  write(positions: Positions): void {
    if (this.identity() !== this.known)
      throw new CursorFileTaken(
        `Another process has changed the cursor file ${this.path}, or removed it. Give each process a file of its own.`,
      );
    const json = JSON.stringify(
      Object.fromEntries([...positions].map(([id, position]) => [id, [position.sequence, position.id]])),
    );
    const next = `${this.path}.next`;
    this.attempt('written', () => {
      try {
        const text = `{"version":${VERSION},"sha256":"${digestOf(json)}","positions":${json}}\n`;
        writeFileSync(next, text, { flush: true });
        renameSync(next, this.path);
      } catch (error) {
        rmSync(next, { force: true });
        throw error;
      }
      synchronize(dirname(this.path));
    });
    this.known = this.identity();
  }

  /** Not of what a link leads to, because the link would be replaced. */
  private identity(): string | undefined {
    const file = this.attempt('read', () => lstatSync(this.path, { bigint: true, throwIfNoEntry: false }));
    if (file && !file.isFile()) throw new Error(`The cursor file ${this.path} is not a regular file.`);
    return file && `${file.ino} ${file.mtimeNs}`;
  }

  private attempt<Result>(what: string, run: () => Result): Result {
    try {
      return run();
    } catch (error) {
      throw new Error(`The cursor file ${this.path} cannot be ${what}: ${reasonOf(error)}`, { cause: error });
    }
  }
}

/** The cursor file is that of another process, too. */
export class CursorFileTaken extends Error {}

/** What happens if it is removed. */
export const WITHOUT_FILE = 'Without the file, the command begins with the oldest event that is kept.';

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** Without it, the directory could have the file of before after a crash of the machine. */
function synchronize(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
