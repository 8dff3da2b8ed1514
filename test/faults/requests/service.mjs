// The service whose event loop is measured, and what the requests need of it: organizations whose pages are as heavy as
// pages can be, or that have very many users.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ask, askFor, newAgent } from '../load.mjs';
import { told, UNLIMITED } from '../replicas.mjs';
import * as rows from '../rows.mjs';
import { openScene } from '../scene.mjs';
import { FULL, list, longName, person } from './bodies.mjs';
import { startIssuer } from './issuer.mjs';

/** Nobody answers there. The routes for signing in exist all the same. */
const NOWHERE = 'http://127.0.0.1:9';

const OPERATOR_TOKEN = 'operator'.repeat(4);

const ENVIRONMENT = {
  ...UNLIMITED,
  OPERATOR_TOKEN,
  MANAGEMENT_PORT: '0',
  NODE_OPTIONS: '--require ./test/faults/turns.cjs',
  WEBHOOK_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  OIDC_ISSUER: NOWHERE,
  OIDC_CLIENT_ID: 'dashboard',
  PUBLIC_URL: NOWHERE,
};

/** It ends with the file. */
export async function startService() {
  const { query, ...place } = await openScene();
  // The rule of an issuer names an organization, which a first start makes.
  await place.stop(place.replicas[0]);
  const [{ id }] = await query('SELECT id FROM organizations');
  const issuer = await startIssuer(NOWHERE);
  const replica = await place.start({ ...ENVIRONMENT, TOKEN_ISSUERS: issuer.ruleFor(id) });
  const agent = newAgent();

  /** Sends a request that prepares another one. */
  const send = (method, path, body, token) => askFor(replica.url, path, { method, body, agent, token });
  const scene = {
    send,
    sendAsOperator: (method, path, body) => send(method, path, body, OPERATOR_TOKEN),
    operatorToken: OPERATOR_TOKEN,
    largestIn,
    publicUrl: NOWHERE,
    issuer,
    heavy: await heavyOrganization(send, query, id),
    large: await largeOrganization(query),
    short: await shortOrganization(query),
  };
  // As many organizations as a page has.
  await query(
    'INSERT INTO organizations (id, name, external_id) SELECT id, $2, id FROM unnest($1::text[]) AS t (id)',
    [rows.ids('org', PAGE), longName(100)],
  );
  await query('VACUUM ANALYZE');

  return {
    replica,
    endings: place.endings,
    /** Prepares the request of a case, and returns a function that sends it. */
    async prepare(route, make, n) {
      const [method, template] = route.split(' ');
      const { isManagement, id, query: search, path, status, ...request } = await make(scene, n);
      const url = isManagement ? new URL(replica.metrics).origin : replica.url;
      const target = `${path ?? template.replace(/:\w+/, id)}${search ? `?${search}` : ''}`;
      const expected = [status ?? [200, 201, 202, 204]].flat();
      return async (options) => {
        const answer = await ask(url, target, { method, agent, ...request, ...options });
        return { ...answer, isExpected: expected.includes(answer.status) };
      };
    },
    /** The longest turn of the event loop since the last call, in milliseconds. */
    longestTurn: () => told(replica, 'turn'),
  };
}

/** The path of the largest of the built files below a page. */
function largestIn(page) {
  const directory = join('dist', page, page);
  const size = (name) => statSync(join(directory, name)).size;
  const files = readdirSync(directory, { recursive: true }).filter((name) => /\.(js|css)$/.test(name));
  return `/${page}/${files.sort((a, b) => size(b) - size(a))[0]}`;
}

const PAGE = 200;
const GROUPS = 1_000;
const USERS = 100_000;
const DELIVERIES = 10_000;

/** What a directory may give of a user, with as many elements as it may. */
const ATTRIBUTES = {
  phoneNumbers: list(200, () => ({ value: '1', type: 'work' })),
  addresses: list(200, () => ({ locality: 'a' })),
  roles: list(200, () => ({ value: 'a' })),
  entitlements: list(200, () => ({ value: 'a' })),
};

/** As long as they may be. */
const groupName = (n) => `${n}`.padStart(30, '-') + longName(226);
const EXTERNAL_ID = longName(512);

/** The organization of the admin token: every page of it is as heavy as it can be. */
async function heavyOrganization(send, query, organization) {
  const users = [];
  for (let n = 0; n < PAGE; n += 40) {
    const body = { users: list(40, () => person({ metadata: FULL })) };
    const { results } = await send('POST', '/api/v1/users/batch', body);
    users.push(...results.map(({ id }) => id));
  }
  const groups = await rows.insertGroups(query, organization, list(GROUPS, groupName), users, EXTERNAL_ID);
  await rows.insertAttributes(query, organization, ATTRIBUTES);
  const user = JSON.stringify({ ...person({ metadata: FULL }), id: users[0] });
  const data = `{"user":${user},"previous":${user}}`;
  const events = await rows.insertEvents(query, organization, PAGE, data, users[0]);
  const deleted = { ...person({ metadata: FULL }), role: 'member', active: true };
  await rows.insertDeletedUsers(query, organization, PAGE, deleted);
  await rows.makeTokens(query, PAGE, ['users:read', 'users:write', 'users:delete', 'admin']);
  await query('UPDATE tokens SET name = $1 WHERE name = $2', [longName(100), 'Load']);
  const { id: webhook } = await send('POST', '/api/v1/webhooks', {
    url: `https://example.com/${'x'.repeat(2_000)}`,
    types: ['*'],
    description: longName(200),
    enabled: false,
  });
  await query(
    `INSERT INTO webhook_deliveries (organization_id, id, webhook_id, event_id, type, is_beside, state)
     SELECT $1, id, $3, $4, 'user.updated', false, 'delivered' FROM unnest($2::text[]) AS t (id)`,
    [organization, rows.ids('dlv', DELIVERIES), webhook, events[0]],
  );
  const emails = await query('SELECT email FROM users WHERE organization_id = $1', [organization]);
  return { organization, users, emails: emails.map(({ email }) => email), groups, events, webhook };
}

/** An organization whose users are as long as they can be while all of them are read by one statement. */
async function shortOrganization(query) {
  const { id, admin } = await rows.newOrganization(query, 'Short');
  await query(
    `INSERT INTO users (organization_id, id, name, name_key, email, email_key, external_id, role, metadata)
     SELECT $1, id, $3 || n, 'user', email, email, $3 || n, 'member', $4
     FROM unnest($2::text[]) WITH ORDINALITY AS t (id, n), format('%s@example.com', lpad(n::text, 64, 'x')) AS email`,
    [id, rows.ids('usr', PAGE), longName(196), JSON.stringify({ a: 'é'.repeat(508) })],
  );
  await query(
    `INSERT INTO user_search (organization_id, user_id, name_key, name, text)
     SELECT organization_id, id, name_key, name, ' short' FROM users WHERE organization_id = $1`,
    [id],
  );
  return { token: admin };
}

/** An organization with a group of 100,000 members. */
async function largeOrganization(query) {
  const { id, admin } = await rows.newOrganization(query, 'Large');
  const users = await rows.insertUsers(query, id, USERS, { prefix: 'many-' });
  let made = 0;
  /** A group of its first members. */
  const newGroup = async (count = 0) => {
    const names = [groupName(made++)];
    return (await rows.insertGroups(query, id, names, users.slice(0, count), EXTERNAL_ID))[0];
  };
  return { token: admin, users, group: await newGroup(USERS), newGroup };
}
