import { reasonOf } from '../../../platform/database/errors';
import { CursorFile, CursorFileTaken, type Position } from './cursor-file';

const START: Position = { sequence: 0, id: '' };

const STORE_EVERY_MS = 1_000;

/** The positions in the events of all organizations, which may be kept in a file. */
export class Cursor {
  private readonly file?: CursorFile;
  private readonly positions: Map<string, Position>;
  private isStored = false;
  private nextStoreAt = 0;
  private hasFailed = false;

  constructor(
    path: string | undefined,
    private readonly say: (line: string) => void,
  ) {
    this.file = path === undefined ? undefined : new CursorFile(path);
    this.positions = new Map(this.file?.read());
  }

  get organizationIds(): string[] {
    return [...this.positions.keys()];
  }

  positionIn(organizationId: string): Position {
    return this.positions.get(organizationId) ?? START;
  }

  set(organizationId: string, position: Position): void {
    this.positions.set(organizationId, position);
    this.isStored = false;
  }

  delete(organizationId: string): void {
    this.positions.delete(organizationId);
    this.isStored = false;
  }

  store(): void {
    if (this.isStored) return;
    this.file?.write(this.positions);
    this.isStored = true;
  }

  /** Stores it now and then. If the disk is full, that is tried again: until then, only more would be printed twice. */
  storeIfDue(): void {
    const startedAt = performance.now();
    if (startedAt < this.nextStoreAt) return;
    try {
      this.store();
      this.hasFailed = false;
    } catch (error) {
      if (error instanceof CursorFileTaken) throw error;
      if (!this.hasFailed) this.say(`${reasonOf(error)}. It will be tried again.`);
      this.hasFailed = true;
    }
    // A file of 100,000 organizations takes a tenth of a second.
    this.nextStoreAt = performance.now() + Math.max(STORE_EVERY_MS, 10 * (performance.now() - startedAt));
  }
}
