import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** The built command line, as a process of its own. */
export interface Ums {
  process: ChildProcess;
  /** What it has written to standard output so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves to the exit code when it ends. */
  exit: Promise<number | null>;
}

/** `input`: what it reads from standard input; by default nothing. */
export function ums(args: string[], env: NodeJS.ProcessEnv, input: 'ignore' | 'pipe' = 'ignore'): Ums {
  const child = spawn(process.execPath, ['dist/src/cli.js', ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: [input, 'pipe', 'pipe'],
  });
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

/** Runs a command to its end. */
export async function run(args: string[], env: NodeJS.ProcessEnv) {
  const command = ums(args, env);
  return { code: await command.exit, stdout: command.stdout(), stderr: command.stderr() };
}

export interface Running extends Ums {
  url: string;
}

/** Starts the service on a free port, and waits until it says where it is. */
export async function start(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Running> {
  const service = ums(['start', ...args], {
    PORT: '0',
    HOST: '127.0.0.1',
    SHUTDOWN_DRAIN_SECONDS: '4',
    ...env,
  });
  const said = new Promise<string>((resolve) => {
    service.process.stdout!.on('data', () => {
      const url = /User Management Service at (\S+)[^]*\n$/.exec(service.stdout())?.[1];
      if (url) resolve(url);
    });
  });
  const ended = service.exit.then((code) => {
    throw new Error(`The service ended with ${code}: ${service.stdout()}${service.stderr()}`);
  });
  const url = await Promise.race([said, ended]);
  ended.catch(() => {}); // it will end, some time later
  return { ...service, url };
}

/** Ends a service the way a person does, and returns its exit code. */
export async function stop(service: Running): Promise<number | null> {
  service.process.kill('SIGINT');
  return service.exit;
}
