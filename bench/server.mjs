// Starts servers as separate processes on free ports, with a rate limit too high to matter.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { residentOf } from './cpu.mjs';

/** The Node that runs the measured servers. */
export const NODE = process.env.BENCH_NODE ?? process.execPath;

/** The service as users start it. */
export const SERVICE = ['dist/src/cli.js', 'start', '--json'];

/** Starts a server that prints its address as JSON when it is ready. */
export async function startServer(args, databaseUrl, env = {}) {
  const startedAt = performance.now();
  const child = spawn(NODE, args, {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      PORT: '0',
      HOST: '127.0.0.1',
      RATE_LIMIT_PER_MINUTE: '1000000000',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  child.stdout.resume();
  const { url } = JSON.parse(String(line));
  return { process: child, url, startMs: performance.now() - startedAt, idleMb: residentOf(child.pid) };
}
