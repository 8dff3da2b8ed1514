// The service, watched from inside by loop.cjs and from outside by livez.worker.mjs.
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { startReplica, UNLIMITED } from '../cluster.mjs';
import { ask, newAgent } from '../load.mjs';
import { newDirectory } from '../scene.mjs';
import { startPostgres } from '../servers.mjs';
import { fill } from './organizations.mjs';

/** Nobody answers there. */
const ISSUER = 'http://127.0.0.1:9';

const ENVIRONMENT = {
  ...UNLIMITED,
  MANAGEMENT_PORT: '0',
  NODE_OPTIONS: '--require ./test/faults/event-loop/loop.cjs',
  WEBHOOK_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  OIDC_ISSUER: ISSUER,
  OIDC_CLIENT_ID: 'dashboard',
  PUBLIC_URL: ISSUER,
};

export async function startService() {
  const postgres = await startPostgres(newDirectory());
  const DATABASE_URL = await postgres.createDatabase('ums');
  const query = (sql, values) => postgres.query(sql, values, DATABASE_URL);
  const replica = await startReplica({ DATABASE_URL, ...ENVIRONMENT });
  const [, metrics] = /"metrics":"([^"]+)"/.exec(replica.output());
  const scene = await fill(replica.url, query);
  const [{ id: organization }] = [{ id: scene.heavy.organization }];
  const emails = await query('SELECT email FROM users WHERE organization_id = $1', [organization]);
  scene.heavy.emails = emails.map(({ email }) => email);
  const agent = newAgent();
  return {
    postgres,
    replica,
    scene: {
      ...scene,
      /** Sends a request that prepares another one. */
      async send(method, path, body) {
        const { status, text, error } = await ask(replica.url, path, { method, body, agent });
        if (status < 200 || status >= 300) throw new Error(`${method} ${path}: ${error ?? `${status} ${text}`}`);
        return text && JSON.parse(text);
      },
      largestOf,
    },
    /** Sends the request of a case. */
    send: ({ method, path }, { isManagement, id, query: search, status: _expected, ...request }) =>
      ask(
        isManagement ? new URL(metrics).origin : replica.url,
        `${request.path ?? path.replace(/:\w+/, id)}${search ? `?${search}` : ''}`,
        { method, agent, ...request },
      ),
    longestTurn: () => longestTurn(replica),
    watchLivez: () => watchLivez(replica.url),
  };
}

/** The path of the largest file below a page. */
function largestOf(page) {
  const directory = `dist/${page}/${page}`;
  const files = readdirSync(directory, { recursive: true }).filter((name) => !name.endsWith('.gz'));
  const size = (name) => statSync(join(directory, name)).size;
  return `/${page}/${files.sort((a, b) => size(b) - size(a))[0]}`;
}

/** The longest turn of the event loop since the last call, in milliseconds. */
async function longestTurn({ process, output }) {
  const seen = output().length;
  process.kill('SIGUSR2');
  for (;;) {
    const [, ms] = /turn:(.*)\n/.exec(output().slice(seen)) ?? [];
    if (ms) return Number(ms);
    await sleep(1);
  }
}

async function watchLivez(url) {
  const worker = new Worker(new URL('livez.worker.mjs', import.meta.url), { workerData: { url } });
  await once(worker, 'online');
  return {
    /** What has been seen since the last call. */
    async look() {
      worker.postMessage('look');
      const [seen] = await once(worker, 'message');
      return seen;
    },
    stop: () => worker.terminate(),
  };
}
