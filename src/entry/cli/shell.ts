import type { Readable, Writable } from 'node:stream';

/** A stream that may be a terminal. */
type Output = Writable & { isTTY?: boolean; columns?: number };

/** What a command gets from the shell, and the code that it ends with. It uses this instead of the process. */
export interface Shell {
  env: NodeJS.ProcessEnv;
  stdin: Readable;
  stdout: Output;
  stderr: Output;
  /** By default 0, or 1 if the command throws. */
  exitCode?: number;
}
