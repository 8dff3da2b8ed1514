// The service, and what the requests need of it.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startReplica, stop, UNLIMITED } from '../cluster.mjs';
import { ask, newAgent } from '../load.mjs';
import { newDirectory } from '../scene.mjs';
import { startPostgres } from '../servers.mjs';
import { startIssuer } from './issuer.mjs';
import {
  heavyOrganization,
  largeOrganization,
  manyOrganizations,
  shortOrganization,
} from './organizations.mjs';

/** Nobody answers there. The routes for signing in exist all the same. */
const NOWHERE = 'http://127.0.0.1:9';

const OPERATOR_TOKEN = 'operator'.repeat(4);

const ENVIRONMENT = {
  ...UNLIMITED,
  OPERATOR_TOKEN,
  MANAGEMENT_PORT: '0',
  NODE_OPTIONS: '--require ./test/faults/event-loop/turns.cjs',
  WEBHOOK_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  OIDC_ISSUER: NOWHERE,
  OIDC_CLIENT_ID: 'dashboard',
  PUBLIC_URL: NOWHERE,
};

export async function startService() {
  const postgres = await startPostgres(newDirectory());
  const DATABASE_URL = await postgres.createDatabase('ums');
  const query = (sql, values) => postgres.query(sql, values, DATABASE_URL);
  // The rule of an issuer names an organization, which a first start makes.
  await stop([await startReplica({ DATABASE_URL })]);
  const [{ id }] = await query('SELECT id FROM organizations');
  const issuer = await startIssuer(NOWHERE);
  const replica = await startReplica({ DATABASE_URL, ...ENVIRONMENT, TOKEN_ISSUERS: issuer.ruleFor(id) });
  const [, metrics] = /"metrics":"([^"]+)"/.exec(replica.output());
  const agent = newAgent();

  /** Sends a request that prepares another one. */
  async function send(method, path, body, token) {
    const { status, text, error } = await ask(replica.url, path, { method, body, agent, token });
    if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${error ?? `${status} ${text}`}`);
    return text && JSON.parse(text);
  }
  const scene = {
    send,
    sendAsOperator: (method, path, body) => send(method, path, body, OPERATOR_TOKEN),
    operatorToken: OPERATOR_TOKEN,
    largestIn,
    publicUrl: NOWHERE,
    issuer,
    heavy: await heavyOrganization(send, query),
    large: await largeOrganization(query),
    short: await shortOrganization(query),
  };
  await manyOrganizations(query);
  await query('VACUUM ANALYZE');

  return {
    replica,
    /** Prepares the request of a case, and returns a function that sends it. */
    async prepare(route, make, n) {
      const [method, template] = route.split(' ');
      const { isManagement, id, query: search, path, status, ...request } = await make(scene, n);
      const url = isManagement ? new URL(metrics).origin : replica.url;
      const target = `${path ?? template.replace(/:\w+/, id)}${search ? `?${search}` : ''}`;
      const expected = [status ?? [200, 201, 202, 204]].flat();
      return async (options) => {
        const answer = await ask(url, target, { method, agent, ...request, ...options });
        return { ...answer, isExpected: expected.includes(answer.status) };
      };
    },
    longestTurn: () => longestTurn(replica),
    async stop() {
      await stop([replica]);
      await issuer.stop();
      await postgres.stop();
    },
  };
}

/** The path of the largest of the built files below a page. */
function largestIn(page) {
  const directory = join('dist', page, page);
  const size = (name) => statSync(join(directory, name)).size;
  const files = readdirSync(directory, { recursive: true }).filter((name) => /\.(js|css)$/.test(name));
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
