import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { ConsoleLogger, Logger } from '@nestjs/common';
import { run as runCommand } from '../../src/entry/cli/commands';

// What Nest logs while a command runs belongs to the service of the suite, if it has one, and to no terminal.
if (Logger['staticInstanceRef'] instanceof ConsoleLogger) Logger.overrideLogger(false);

/** A running process of the built command line. */
export interface Ums {
  process: ChildProcess;
  /** The standard output so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves to the exit code when the process ends. */
  exit: Promise<number | null>;
}

const running = new Set<ChildProcess>();

/** Ends what a failed test has left running. */
export const killLeft = () => running.forEach((child) => child.kill('SIGKILL'));

/** Starts a command in a process of its own; with `input: 'pipe'` the caller can write to its standard input. */
export function ums(args: string[], env: NodeJS.ProcessEnv, input: 'ignore' | 'pipe' = 'ignore'): Ums {
  const child = spawn(process.execPath, ['dist/src/cli.js', ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: [input, 'pipe', 'pipe'],
  });
  running.add(child.once('close', () => running.delete(child)));
  let [stdout, stderr] = ['', ''];
  child.stdout!.setEncoding('utf8').on('data', (chunk) => (stdout += chunk));
  child.stderr!.setEncoding('utf8').on('data', (chunk) => (stderr += chunk));
  return {
    process: child,
    stdout: () => stdout,
    stderr: () => stderr,
    exit: once(child, 'close').then(([code]) => code),
  };
}

/** Runs a command in a process of its own, and waits for its end. */
export async function runProcess(args: string[], env: NodeJS.ProcessEnv) {
  const command = ums(args, env);
  return { code: await command.exit, stdout: command.stdout(), stderr: command.stderr() };
}

/**
 * The same without a process, which takes most of the time of a command, and perhaps on a terminal of so many columns.
 * `start` needs a process.
 */
export async function run(args: string[], env: NodeJS.ProcessEnv, { columns }: { columns?: number } = {}) {
  if (args[0] === 'start') return runProcess(args, env);
  const [stdout, stderr] = [collector(), collector()];
  if (columns !== undefined) Object.assign(stdout, { isTTY: true, columns });
  const code = await runCommand(args, { env, stdin: Readable.from([]), stdout, stderr });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** A stream that keeps its text. */
export function collector() {
  const chunks: Buffer[] = [];
  const stream = new Writable({ write: (chunk, _encoding, done) => done(void chunks.push(chunk)) });
  return Object.assign(stream, { text: () => Buffer.concat(chunks).toString() });
}

export interface Running extends Ums {
  url: string;
}

/** Starts the service on a free port and waits until it has printed its address. */
export async function start(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Running> {
  const service = ums(['start', ...args], {
    PORT: '0',
    HOST: '127.0.0.1',
    SHUTDOWN_DRAIN_SECONDS: '4',
    ...env,
  });
  const printed = new Promise<string>((resolve) => {
    service.process.stdout!.on('data', () => {
      const url = /(?:User Management Service at |"url":")([^\s"]+)[^]*\n$/.exec(service.stdout())?.[1];
      if (url) resolve(url);
    });
  });
  const ended = service.exit.then((code) => {
    throw new Error(`The service ended with ${code}: ${service.stdout()}${service.stderr()}`);
  });
  const url = await Promise.race([printed, ended]);
  ended.catch(() => {}); // the test ends the service later, which must not count as an unhandled rejection
  return { ...service, url };
}

/** Stops a service as Ctrl-C does and returns its exit code. */
export async function stop(service: Running): Promise<number | null> {
  service.process.kill('SIGINT');
  return service.exit;
}
