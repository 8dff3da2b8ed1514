// Hostile and malformed input.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { ADMIN, held, makeTokens, startReplica, stop, UNLIMITED, WATCHED } from './cluster.mjs';
import { ask, tally } from './load.mjs';
import { newDirectory, report, SHORT } from './scene.mjs';
import { startPostgres } from './servers.mjs';

const CASES = SHORT ? 3_000 : 20_000;
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);

const { paths, components } = JSON.parse(readFileSync('openapi.json', 'utf8'));
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([method]) => ['get', 'post', 'patch', 'delete'].includes(method))
    .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

let postgres;
let replica;
let query;
/**
 * An existing user and token for the paths, and the values of a token that may only read and of one that may revoke
 * itself.
 */
let known;

before(async () => {
  postgres = await startPostgres(newDirectory());
  const DATABASE_URL = await postgres.createDatabase('ums');
  query = (sql, values) => postgres.query(sql, values, DATABASE_URL);
  replica = await startReplica({ DATABASE_URL, ...UNLIMITED, ...WATCHED });
  const body = { name: 'Ada', email: 'ada@example.com' };
  const { id } = JSON.parse((await ask(replica.url, '/api/v1/users', { method: 'POST', body })).text);
  const [spare, reader] = await makeTokens(query, 2, ['users:read']);
  const [leaver] = await makeTokens(query, 1);
  known = { user: id, token: spare.id, reader: reader.value, leaver: leaver.value };
});
after(async () => {
  await stop([replica]);
  await postgres.stop();
});

const resolve = (node) =>
  node?.$ref
    ? node.$ref
        .slice(2)
        .split('/')
        .slice(1)
        .reduce((at, key) => at[key], components)
    : node;

// Texts that are known to break programs.
const nasty = fc.constantFrom(
  ...['', ' ', '\u0000', '\ud800', 'null', '%', '%00', "'; DROP TABLE users; --", '\\', '"', '{}', '../..'],
  ...['\u202e', 'İ', 'ﬀ', '\u0301', '🙂'.repeat(200), 'x'.repeat(5_000), '1e999', '-0', 'NaN', '٣', 'true'],
);
const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ unit: 'grapheme' }), nasty);
const keys = fc.oneof(
  { weight: 8, arbitrary: fc.string({ maxLength: 70 }) },
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'polluted', 'a.b', ''),
);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.oneof(text, fc.double(), fc.integer(), fc.boolean(), fc.constant(null), fc.bigInt().map(Number)),
    fc.array(tie('json'), { maxLength: 5 }),
    fc.dictionary(keys, tie('json'), { maxKeys: 6, noNullPrototype: false }),
  ),
}));
const plain = fc.dictionary(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    fc.boolean(),
    fc.array(fc.nat()),
  ),
  { maxKeys: 10, noNullPrototype: false },
);
const email = fc.oneof(
  { weight: 4, arbitrary: fc.emailAddress() },
  { weight: 4, arbitrary: fc.uuid().map((id) => `${id}@example.com`) },
  text,
);

/** Mostly valid values for the schema, occasionally arbitrary JSON. */
function valueOf(schema, name) {
  const { type, enum: values, items } = resolve(schema) ?? {};
  const right = values
    ? fc.constantFrom(...values)
    : name === 'email'
      ? email
      : type === 'integer'
        ? fc.integer({ min: -2, max: 300 })
        : type === 'array'
          ? fc.array(valueOf(items), { maxLength: 5 })
          : type === 'object'
            ? fc.oneof(plain, fc.dictionary(keys, json, { maxKeys: 20, noNullPrototype: false }))
            : name === 'expiresIn'
              ? fc.oneof(fc.constantFrom('1d', '90d', '3650d', '3651d', '0d', '01d'), text)
              : fc.string({ unit: 'grapheme', maxLength: 210 });
  return fc.oneof({ weight: 20, arbitrary: right }, { weight: 1, arbitrary: json });
}

function bodyOf({ requestBody }) {
  const schema = resolve(resolve(requestBody)?.content?.['application/json']?.schema);
  const raw = fc.oneof(fc.json(), text, fc.constantFrom('[', '{"a":', '\ufeff{}', `${'['.repeat(5_000)}`));
  if (!schema) return fc.option(raw, { nil: undefined });
  const fields = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, of]) => [name, valueOf(of, name)]),
  );
  const extra = fc.dictionary(keys, json, { maxKeys: 1, noNullPrototype: false });
  const valid = fc.record(fields, { requiredKeys: schema.required ?? [], noNullPrototype: true });
  const object = fc
    .tuple(valid, fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, extra))
    .map(([own, more]) => JSON.stringify({ ...own, ...more }));
  const polluting = fc.constantFrom(
    '{"__proto__":{"polluted":1}}',
    '{"name":"x","metadata":{"constructor":{"prototype":{"polluted":1}}}}',
    '{"metadata":{"__proto__":{"polluted":1}}}',
  );
  return fc.oneof({ weight: 12, arbitrary: object }, { weight: 2, arbitrary: raw }, polluting);
}

const caseOf = ({ path, method, operation }) => {
  const parameters = (operation.parameters ?? []).map(resolve);
  const inQuery = parameters.filter(({ in: where }) => where === 'query');
  const id = fc.oneof(
    { weight: 3, arbitrary: fc.constant(path.includes('token') ? 'TOKEN' : 'USER') },
    text.map((value) => encodeURIComponent(value.toWellFormed())),
    fc.constantFrom('%', '%ff', '%00', '..%2f..', 'usr_', 'current', 'search', 'constructor', '__proto__'),
  );
  const right = fc.record(
    Object.fromEntries(inQuery.map(({ name, schema }) => [name, valueOf(schema, name)])),
    { requiredKeys: [] },
  );
  const wrong = fc.dictionary(keys, text, { maxKeys: 2, noNullPrototype: false });
  return fc.record({
    path: fc.constant(path),
    method: fc.oneof(
      { weight: 20, arbitrary: fc.constant(method) },
      fc.constantFrom('PUT', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND'),
    ),
    id,
    query: fc.oneof({ weight: 5, arbitrary: right }, { weight: 1, arbitrary: wrong }),
    raw: fc.oneof(
      { weight: 20, arbitrary: fc.constant(undefined) },
      fc.constantFrom('%', '&&&', 'limit=1&limit=2', 'a[__proto__][polluted]=1', 'q=%ff'),
    ),
    body: bodyOf(operation),
    type: fc.oneof(
      { weight: 20, arbitrary: fc.constant('application/json') },
      fc.constantFrom(
        'text/plain',
        '',
        'application/json; charset=utf-16',
        'application/x-www-form-urlencoded',
      ),
    ),
    token: fc.oneof(
      { weight: 20, arbitrary: fc.constant('ADMIN') },
      fc.constantFrom('READER', '', 'umt_', `umt_${'0'.repeat(38)}`),
    ),
  });
};

const schemes = fc.oneof(...operations.map(caseOf));

const asText = (value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

async function send({ path, method, id, query: of, raw, body, type, token }) {
  const named = id === 'USER' ? known.user : id === 'TOKEN' ? known.token : id;
  const pathname = path.replace(/\{\w+\}/, () => named);
  const search = raw ?? new URLSearchParams(Object.entries(of).map(([name, value]) => [name, asText(value)]));
  const hasBody = body !== undefined && method !== 'HEAD' && method !== 'TRACE';
  const revokesItself = method === 'DELETE' && pathname.endsWith('/tokens/current');
  return ask(replica.url, `${pathname}?${search}`, {
    method,
    body: hasBody ? body : undefined,
    token: { ADMIN: revokesItself ? known.leaver : ADMIN, READER: known.reader }[token] ?? token,
    headers: hasBody ? { 'Content-Type': type } : {},
  });
}

/** The statuses that openapi.json documents for the case, and those that any path may return. */
function documented({ path, method }) {
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  return [...Object.keys(paths[path][verb]?.responses ?? {}), '404', '405', '431'];
}

/** The ways in which the response violates the contract. */
async function faultsOf(sent, answer) {
  const { status, headers, text: received, error } = answer;
  if (status === 0) return [`no response: ${error}`];
  const faults = [];
  if (status >= 500) faults.push(`status ${status}`);
  if (!documented(sent).includes(String(status))) faults.push(`undocumented status ${status}`);
  if (!headers['x-request-id']) faults.push('no X-Request-ID');
  if (headers['content-type']?.includes('json') && sent.method !== 'HEAD') {
    try {
      JSON.parse(received);
    } catch {
      faults.push('a body that is not JSON');
    }
  }
  const wrote = ['POST', 'PATCH'].includes(sent.method) && [200, 201].includes(status);
  const isOfOne = sent.path.includes('users') && !sent.path.endsWith('/batch');
  if (wrote && isOfOne) faults.push(...(await echoFaults(sent, received)));
  return faults;
}

/** Checks that the response and the stored user equal the request. */
async function echoFaults({ body, path }, received) {
  const isCreate = path === '/api/v1/users';
  const asked = JSON.parse(body?.replace(/^\ufeff/, '') || '{}'); // a restore needs no body
  const echoed = JSON.parse(received);
  const trimmed = (value) => (typeof value === 'string' ? value.trim() : value);
  const faults = Object.entries(asked)
    .filter(([name, value]) => JSON.stringify(echoed[name]) !== JSON.stringify(trimmed(value)))
    .map(([name]) => `${name} differs from the request`);
  const stored = await ask(replica.url, `/api/v1/users/${echoed.id}`);
  if (isCreate) known.user = echoed.id; // the previous one may have been deleted
  // Only for a create: other requests change the shared user concurrently.
  if (isCreate && stored.text !== received) faults.push('the stored user differs from the response');
  return faults;
}

async function fuzz(t) {
  t.diagnostic(`seed ${SEED}; FUZZ_SEED=${SEED} repeats the same cases`);
  const cases = fc.sample(schemes, { numRuns: CASES, seed: SEED });
  const answers = [];
  const found = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: 24 }, async () => {
      while (next < cases.length && found.length < 5) {
        const sent = cases[next++];
        const answer = await send(sent);
        answers.push(answer);
        const faults = await faultsOf(sent, answer);
        if (faults.length > 0) found.push({ faults, sent, received: answer.text?.slice(0, 500) });
      }
    }),
  );
  const { polluted } = await held(replica);
  report(t, { cases: answers.length, answers: tally(answers), 'prototypes polluted': polluted });
  assert.deepEqual(found, []);
  assert.equal(answers.length, CASES);
  assert.equal(polluted, false);
}

/** Sends chunks of bytes, `everyMs` apart, and reads until the connection closes or the time is up. */
function sendRaw(chunks, { everyMs = 0, withinMs = 50_000 } = {}) {
  const from = performance.now();
  const { port } = new URL(replica.url);
  return new Promise((done) => {
    let received = '';
    const socket = connect(port, '127.0.0.1');
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      const heads = [...received.matchAll(/HTTP\/1\.1 (\d+)[^]*?\r\n\r\n/g)];
      done({
        statuses: heads.map(([, status]) => Number(status)),
        named: heads
          .filter(([head]) => !head.startsWith('HTTP/1.1 100'))
          .every(([head]) => /^x-request-id: \S/im.test(head)),
        ms: Math.round(performance.now() - from),
      });
    };
    const timer = setTimeout(end, withinMs);
    socket
      .on('data', (chunk) => (received += chunk))
      .on('error', end)
      .on('close', end);
    socket.on('connect', async () => {
      for (const chunk of chunks) {
        if (socket.destroyed) return;
        socket.write(chunk);
        if (everyMs > 0) await new Promise((next) => setTimeout(next, everyMs));
      }
    });
  });
}

const AUTH = `Authorization: Bearer ${ADMIN}\r\n`;
const HOST = 'Host: localhost\r\n';
const head = (line, ...headers) => `${line} HTTP/1.1\r\n${headers.join('')}\r\n`;
const post = (...headers) =>
  head(
    'POST /api/v1/users',
    HOST,
    AUTH,
    'Content-Type: application/json\r\n',
    'Connection: close\r\n',
    ...headers,
  );
const BOMB = gzipSync(Buffer.alloc(20_000_000));

/** Raw requests and the statuses allowed for each; the slow ones send one byte at a time. */
const RAW = {
  'no Host': [[head('GET /livez')], [400]],
  garbage: [[Buffer.from('\u0000\u0001\u0002 what is this\r\n\r\n')], [400]],
  'a TLS hello': [[Buffer.from('160301020001000', 'hex')], [400]],
  'half a request line': [['GET /api\r\n\r\n'], [400]],
  'a version that is not HTTP/1': [['GET / HTTP/9.9\r\n\r\n'], [400, 505]],
  'oversized headers': [[head('GET /livez', HOST, `X-Much: ${'x'.repeat(40_000)}\r\n`)], [431]],
  'a long path': [[head(`GET /${'x'.repeat(40_000)}`, HOST)], [431, 414]],
  'two Content-Length headers': [[post('Content-Length: 2\r\n', 'Content-Length: 3\r\n'), '{}'], [400]],
  'Content-Length with chunked encoding': [
    [post('Content-Length: 2\r\n', 'Transfer-Encoding: chunked\r\n'), '0\r\n\r\n'],
    [400],
  ],
  'invalid chunks': [[post('Transfer-Encoding: chunked\r\n'), 'zz\r\n'], [400]],
  'a header with a NUL': [[head('GET /livez', HOST, 'X-Bad: a\u0000b\r\n')], [400]],
  'a gzip bomb': [[post('Content-Encoding: gzip\r\n', `Content-Length: ${BOMB.length}\r\n`), BOMB], [415]],
  'an oversized body': [[post('Content-Length: 999999999\r\n'), 'x'.repeat(100_000)], [413]],
  'Expect: 100-continue': [
    [post('Expect: 100-continue\r\n', 'Content-Length: 2\r\n'), '{}'],
    [100, 400],
  ],
  'an unsupported Expect': [[post('Expect: money\r\n', 'Content-Length: 2\r\n'), '{}'], [417]],
  'an upgrade': [
    [head('GET /api/v1/users', HOST, 'Upgrade: websocket\r\n', 'Connection: Upgrade, close\r\n')],
    [401],
  ],
  'slow headers': [[...`GET /livez HTTP/1.1\r\nX-Slow: ${'x'.repeat(200)}`], [408], { everyMs: 200 }],
  'a slow body': [[post('Content-Length: 1000\r\n'), ...'x'.repeat(400)], [408], { everyMs: 200 }],
};

async function refuse(t) {
  const figures = {};
  await Promise.all(
    Object.entries(RAW).map(async ([name, [chunks, allowed, pace]]) => {
      const { statuses, named, ms } = await sendRaw(chunks, pace);
      figures[name] = `${statuses.join(' ')} in ${ms} ms`;
      assert.ok(
        statuses.length > 0 && statuses.every((status) => allowed.includes(status)),
        `${name}: ${statuses}`,
      );
      assert.ok(named, `${name}: no X-Request-ID`);
    }),
  ).finally(() => report(t, figures));
  assert.equal((await ask(replica.url, '/livez', { token: '' })).status, 200);
  assert.equal((await ask(replica.url, '/api/v1/users')).status, 200);
  assert.equal(replica.process.exitCode, null);
}

// The raw sockets mostly wait, so both tests run at once.
describe('input', { concurrency: 2 }, () => {
  test('fuzzed requests to every documented route get a valid, documented response', fuzz);
  test('malformed raw requests are rejected cleanly, and the service keeps serving', refuse);
});
