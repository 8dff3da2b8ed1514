import { optimizeForSize } from '../process/v8';
import { run } from './commands';
import type { Shell } from './shell';

/** Runs a command as this process, which ends with its exit code. `ums start` goes on after that. */
export async function runAsProcess(args: string[]): Promise<void> {
  watchStandardOutput();
  const { env, stdin, stdout, stderr } = process;
  const shell: Shell = { env, stdin, stdout, stderr };
  const code = await run(args, shell, ownProcess);
  // At once, because what a failed command has left open, such as standard input, would keep the process.
  if (code !== 0 || shell.exitCode === 0) process.exit(shell.exitCode ?? process.exitCode ?? code);
}

/** The commands that read or write many users. */
const LARGE = ['users', 'seed'];

/** What a command changes for its whole process. */
async function ownProcess(command: string): Promise<void> {
  if (LARGE.includes(command)) optimizeForSize();
  const { Logger } = await import('@nestjs/common');
  // Only warnings and errors, on standard error, because standard output is for the result.
  Logger.overrideLogger({ log: () => {}, warn: say, error: say });
}

const say = (message: unknown) =>
  process.stderr.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);

/** The exit code of a process that SIGPIPE ended, as shells report it. */
const BROKEN_PIPE = 141;

/** Ends quietly if the reader has closed the pipe (`| head`), but reports other failures, such as a full disk. */
function watchStandardOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    const isClosed = ['EPIPE', 'ECONNRESET'].includes(error.code!); // the latter if a socket had something unread
    process.exitCode = isClosed ? BROKEN_PIPE : 1;
    if (!isClosed) process.stderr.write(`Standard output: ${error.message}\n`);
  });
  process.stderr.on('error', () => {}); // there is nowhere left to report it
}
