import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { parse } from 'yaml';
import { newTokenValue } from '../../src/tokens/token/token-value';
import { Client } from '../support/client';
import { copyOfTemplate, directUrl, type TestDatabase } from '../support/database';
import { describeOn } from '../support/engine';
import { runProcess, type Running, start, stop } from '../support/process';

let database: TestDatabase;
let service: Running;
let management: string;
let admin: Client;
beforeAll(async () => {
  database = await copyOfTemplate();
  const BOOTSTRAP_TOKEN = newTokenValue();
  service = await start({
    ...database.env,
    BOOTSTRAP_TOKEN,
    MANAGEMENT_PORT: '0',
    RATE_LIMIT_PER_MINUTE: '50',
  });
  management = /Metrics at (\S+)\/metrics/.exec(service.stdout())![1];
  admin = new Client(service.url, { value: BOOTSTRAP_TOKEN });
});
afterAll(async () => {
  await stop(service);
  await database.drop();
});

const metrics = async () => (await fetch(`${management}/metrics`)).text();

/** The value of a sample, by its name and labels in the text format. */
const valueOf = (text: string, sample: string) => {
  const line = text.split('\n').find((line) => line.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length + 1));
};

describe('the management port', () => {
  it('counts requests by the template of their route, method and status', async () => {
    const { id } = await admin.createUser();
    for (let i = 0; i < 3; i++) await admin.get(`/api/v1/users/${id}`).expect(200);
    await admin.get('/api/v1/users/usr_x').expect(404);
    await new Client(service.url).get(`/nowhere/${id}`).expect(404);
    const text = await metrics();
    for (const [sample, labels, value] of [
      ['count', 'method="GET",route="/api/v1/users/:id",status="200"', 3],
      ['count', 'method="GET",route="/api/v1/users/:id",status="404"', 1],
      ['count', 'method="POST",route="/api/v1/users",status="201"', 1],
      ['count', 'method="GET",route="none",status="404"', 1],
      ['bucket', 'le="10",method="POST",route="/api/v1/users",status="201"', 1],
    ] as const) {
      const name = `ums_http_request_duration_seconds_${sample}{${labels}}`;
      expect([name, valueOf(text, name)]).toEqual([name, value]);
    }
    expect(text).not.toContain(id);
  });

  it('counts rejected requests by reason', async () => {
    const anonymous = new Client(service.url);
    await anonymous.get('/api/v1/users').expect(401);
    await admin.withValue(newTokenValue()).get('/api/v1/users').expect(401);
    const { token } = (await admin.post('/v1/tokens', { name: 'Reader', scopes: ['users:read'] }).expect(201))
      .body;
    const reader = admin.withValue(token);
    await reader.delete('/api/v1/users/usr_x').expect(403);
    while ((await reader.get('/v1/tokens/current')).status === 200);
    const text = await metrics();
    const refused = (status: number, reason: string) =>
      valueOf(text, `ums_http_refusals_total{status="${status}",reason="${reason}"}`);
    expect(refused(401, 'missing_token')).toBe(1);
    expect(refused(401, 'invalid_token')).toBe(1);
    expect(refused(403, 'users:delete')).toBe(1);
    expect(refused(429, 'rate_limited')).toBe(1);
  });

  it('reports the pool, the event loop and the build', async () => {
    let text: string;
    // Background work has a connection now and then.
    do text = await metrics();
    while (valueOf(text, 'ums_database_connections_in_use') !== 0);
    expect(valueOf(text, 'ums_database_connections_waiting')).toBe(0);
    expect(valueOf(text, 'ums_database_connections_idle')).toBeGreaterThan(0);
    expect(valueOf(text, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
    expect(text).toMatch(/^ums_build_info\{version="\d+\.\d+\.\d+",node="v\d+\.\d+\.\d+"\} 1$/m);
  });

  it('has no label with values that a caller can choose', async () => {
    for (let i = 0; i < 20; i++) {
      const path = `/${Math.random()}`;
      await new Client(service.url).send('options', path);
      await admin.get(`/api/v1/users${path}?q=${i}`);
      await new Client(service.url).send('put', `/api/v1/users/${i}`);
    }
    const routes = [
      ...(await metrics()).matchAll(/^ums_http_request_duration_seconds_count\{.*route="([^"]*)"/gm),
    ];
    expect(new Set(routes.map(([, route]) => route))).toEqual(
      new Set(['none', '/api/v1/users', '/api/v1/users/:id', '/v1/tokens', '/v1/tokens/current']),
    );
  });

  it('also answers /livez and /readyz, and nothing else', async () => {
    for (const path of ['/livez', '/readyz']) {
      const response = await fetch(management + path);
      expect([response.status, await response.text()]).toEqual([200, '{"status":"ok"}']);
    }
    expect((await fetch(`${management}/api/v1/users`)).status).toBe(404);
    const refused = await fetch(`${management}/metrics`, { method: 'POST' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const head = await fetch(`${management}/metrics`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
      '',
    ]);
    await new Client(service.url).get('/metrics').expect(404);
  });

  it('has every metric that the dashboard and the alerts query', async () => {
    const exported = new Set(
      [...(await metrics()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
      ),
    );
    const components = 'deploy/components';
    const { panels } = JSON.parse(readFileSync(`${components}/grafana-dashboard/dashboard.json`, 'utf8'));
    const { spec } = parse(readFileSync(`${components}/alerts/prometheus-rule.yaml`, 'utf8'));
    const expressions: string[] = [
      ...panels.flatMap(({ targets }: { targets: { expr: string }[] }) => targets.map(({ expr }) => expr)),
      ...spec.groups.flatMap(({ rules }: { rules: { expr: string }[] }) => rules.map(({ expr }) => expr)),
    ];
    const queried = new Set(
      expressions.flatMap((expression) => expression.match(/\b(?:ums|nodejs|process)_[a-z0-9_]+/g) ?? []),
    );
    expect(queried.size).toBeGreaterThan(8);
    expect([...queried].filter((name) => !exported.has(name))).toEqual([]);
    for (const name of exported)
      if (name.startsWith('ums_') && !name.endsWith('_sum')) expect(queried).toContain(name);
  });
});

// Two processes cannot open an embedded database.
describeOn('postgres', 'without prom-client', () => {
  const directory = mkdtempSync(join(tmpdir(), 'ums-metrics-'));
  const file = join(directory, 'without-prom-client.cjs');
  writeFileSync(
    file,
    `const Module = require('node:module');
    const resolve = Module._resolveFilename;
    Module._resolveFilename = (name, ...more) => {
      if (name !== 'prom-client') return resolve(name, ...more);
      throw Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' });
    };`,
  );
  const variables = () => ({
    ...database.env,
    MIGRATE_ON_START: 'false',
    NODE_OPTIONS: `--require ${file}`,
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it('the service starts if nobody asks for metrics', async () => {
    expect(await stop(await start(variables()))).toBe(0);
  });

  it('MANAGEMENT_PORT says what to install', async () => {
    const { code, stderr } = await runProcess(['start'], { ...variables(), PORT: '0', MANAGEMENT_PORT: '0' });
    const message = 'prom-client is not installed. Unset MANAGEMENT_PORT, or run npm install prom-client.';
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});

describeOn('postgres', 'ums_tokens_expiring', () => {
  it('counts active tokens that expire within 14 days, and those that were used within 30', async () => {
    const tokens = [];
    for (const expiresIn of ['1d', '13d', '14d', '15d', undefined])
      tokens.push(
        (await admin.post('/v1/tokens', { name: 'T', scopes: ['admin'], expiresIn }).expect(201)).body,
      );
    await admin.delete(`/v1/tokens/${tokens[0].id}`).expect(204);
    const client = new pg.Client(directUrl(database));
    await client.connect();
    for (const [token, days] of [
      [tokens[1], 29],
      [tokens[2], 31],
      [tokens[3], 1],
    ])
      await client.query(`UPDATE tokens SET last_used_at = now() - $2 * interval '1 day' WHERE id = $1`, [
        token.id,
        days,
      ]);
    await client.end();
    const another = await start({ ...database.env, MANAGEMENT_PORT: '0', MIGRATE_ON_START: 'false' });
    const at = /Metrics at (\S+)/.exec(another.stdout())![1];
    let text;
    do text = await (await fetch(at)).text();
    while (/ums_tokens_expiring\w* Nan/.test(text));
    expect(valueOf(text, 'ums_tokens_expiring')).toBe(2);
    expect(valueOf(text, 'ums_tokens_expiring_in_use')).toBe(1);
    await stop(another);
  });
});
