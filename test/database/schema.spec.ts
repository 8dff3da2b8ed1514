/**
 * @slow it starts processes
 */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { migrations } from '../../migrations';
import { runMigrations } from '../../src';
import { newTokenValue } from '../../src/tokens/token/token-value';
import { aUser, Client } from '../support/client';
import { copyOfTemplate, directUrl, type TestDatabase } from '../support/database';
import { describeOn, itNotOn } from '../support/engine';
import { type Host, startHost } from '../support/host';
import { run, type Running, start, stop } from '../support/process';
import { until } from '../support/until';

const ROLE = `service_${process.pid}`;
const BOOTSTRAP_TOKEN = newTokenValue();

/** The statements of docs/operations.md: for what a migration will add, and for what is there. */
const [FOR_NEW, FOR_EXISTING] = [
  ...readFileSync('docs/operations.md', 'utf8').matchAll(/```sql\n([^`]*TO ums_service;\n)```/g),
].map(([, statements]) => statements);

describeOn('postgres', 'a service whose role may use the tables but does not own them', () => {
  let database: TestDatabase;
  let owner: pg.Client;
  let service: Running;
  let api: Client;

  const migrate = async () =>
    expect(await run(['migrate'], { DATABASE_URL: directUrl(database) })).toMatchObject({ code: 0 });

  /** Runs the statements, one at a time, for the roles of this test. */
  async function grant(statements: string): Promise<void> {
    for (const statement of statements.trim().split('\n'))
      await owner.query(statement.replace('ums_owner', 'CURRENT_ROLE').replace('ums_service', ROLE));
  }

  beforeAll(async () => {
    database = await copyOfTemplate();
    owner = new pg.Client(directUrl(database));
    await owner.connect();
    await owner.query(`CREATE ROLE ${ROLE} LOGIN`);
    await grant(FOR_NEW);
    await grant(FOR_EXISTING);

    const url = new URL(directUrl(database));
    url.username = ROLE;
    const WEBHOOK_ENCRYPTION_KEY = Buffer.alloc(32, 1).toString('base64');
    const env = { MIGRATE_ON_START: 'false', BOOTSTRAP_TOKEN, WEBHOOK_ENCRYPTION_KEY };
    service = await start({ DATABASE_URL: url.href, ...env });
    api = new Client(service.url, { value: BOOTSTRAP_TOKEN });
  });
  afterAll(async () => {
    await stop(service);
    await owner.end();
    await database.drop();
    const server = new pg.Client(process.env.UMS_TEST_SERVER);
    await server.connect();
    await server.query(`DROP ROLE ${ROLE}`);
    await server.end();
  });

  /** Waits until the service is ready, or is not, and returns what it says. It remembers an answer for a second. */
  const readiness = (status: 200 | 503) =>
    until(async () => {
      const response = await fetch(`${service.url}/readyz`);
      const body = (await response.json()) as { detail?: string };
      return response.status === status && body;
    }, 100);

  /** Writes, with each verb, what has tables of its own. */
  async function useEverything(): Promise<void> {
    const { body: user } = await api
      .post('/api/v1/users', aUser({ name: 'Grace Hopper' }))
      .set('Idempotency-Key', newTokenValue())
      .expect(201);
    const path = `/api/v1/users/${user.id}`;
    const deleted = `/api/v1/deleted-users/${user.id}`;
    await api.patch(path, { name: 'Grace Brewster' }).expect(200);
    const users = [aUser(), { email: user.email, role: 'viewer' }];
    await api.post('/api/v1/users/batch', { mode: 'upsert', users }).expect(200);
    for (const q of ['brewster', 'brewsetr'])
      expect((await api.get(`/api/v1/users/search?q=${q}`).expect(200)).body.data).not.toEqual([]);
    await api.delete(path).expect(204);
    await api.post(`${deleted}/restore`).expect(200);

    const { body: webhook } = await api
      .post('/api/v1/webhooks', { url: 'https://hooks.example.com/', types: ['*'] })
      .expect(201);
    const hook = `/api/v1/webhooks/${webhook.id}`;
    await api.post(`${hook}/test`).expect(202);
    await api.post(`${hook}/redeliver`, { since: '2026-01-01T00:00:00Z' }).expect(202);
    await api.post(`${hook}/rotate-secret`).expect(200);
    await api.delete(hook).expect(204);

    const members = [{ value: user.id }];
    const { body: group } = await api
      .post('/scim/v2/Groups', { displayName: newTokenValue(), members })
      .expect(201);
    await api
      .post('/scim/v2/Users', { userName: newTokenValue(), emails: [{ value: aUser().email }] })
      .expect(201);
    await api.delete(path).expect(204);
    await api.delete(deleted).expect(204);
    await api.delete(`/scim/v2/Groups/${group.id}`).expect(204);

    const { body: token } = await api
      .post('/v1/tokens', { name: 'Sync', scopes: ['users:read'] })
      .expect(201);
    await api.post(`/v1/tokens/${token.id}/rotate`, { overlap: '0h' }).expect(201);
    const { headers, body } = await api.get('/api/v1/events?type=user.purged').expect(200);
    expect(body.data).not.toEqual([]);
    expect(Number(headers['x-ratelimit-remaining'])).toBeLessThan(1_000);
  }

  it('works with the rights that the document grants', async () => {
    await readiness(200);
    await useEverything();
  });

  it('works after an upgrade that adds a table or a sequence', async () => {
    await owner.query(`DROP TABLE idempotency_keys`);
    await owner.query(`DELETE FROM ums_migrations WHERE name LIKE 'CreateIdempotencyKeys%'`);
    await owner.query(`CREATE SEQUENCE added`);
    await readiness(503);
    await migrate();
    await readiness(200);
    const { rows } = await owner.query(`SELECT has_sequence_privilege($1, 'added', 'USAGE') AS may`, [ROLE]);
    expect(rows).toEqual([{ may: true }]);
    await useEverything();
  });

  it('is not ready while a right is missing, and says which', async () => {
    for (const [right, name] of [
      ['USAGE', 'event_positions'],
      ['INSERT', 'token_events'],
      ['SELECT', 'ums_migrations'],
    ]) {
      await owner.query(
        `REVOKE ${right} ON ${right === 'USAGE' ? 'SEQUENCE' : 'TABLE'} ${name} FROM ${ROLE}`,
      );
      expect(await readiness(503)).toMatchObject({
        detail: `The database role lacks a right: ${right} on ${name}. Grant it as the owner of the tables.`,
      });
      await grant(FOR_EXISTING);
      await readiness(200);
    }
    await useEverything();
  });

  it('does not start without the right to read which migrations ran, and says so', async () => {
    await owner.query(`REVOKE SELECT ON ums_migrations FROM ${ROLE}`);
    const url = new URL(directUrl(database));
    url.username = ROLE;
    const { code, stderr } = await run(['start'], {
      DATABASE_URL: url.href,
      MIGRATE_ON_START: 'false',
      PORT: '0',
    });
    await grant(FOR_EXISTING);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'The database cannot be used: permission denied for table ums_migrations. Grant the right, or use a role that has it.\n',
    });
  });
});

describeOn('postgres', 'migrations of a database that has other things', () => {
  let host: Host;
  beforeEach(async () => void (host = await startHost([])));
  afterEach(() => host.close());

  /** The schemas of the extensions that the search uses. */
  const schemas = async () => {
    const extensions: { nspname: string }[] = await host.dataSource.query(
      `SELECT nspname FROM pg_extension JOIN pg_namespace AS schemas ON schemas.oid = extnamespace
       WHERE extname IN ('pg_trgm', 'btree_gin')`,
    );
    return extensions.map(({ nspname }) => nspname);
  };

  const migrate = (schema: string) => runMigrations(host.dataSource, { schema });

  itNotOn('citus', 'use its extensions for the search', async () => {
    await host.dataSource.query(
      `CREATE SCHEMA "their extensions"; CREATE EXTENSION pg_trgm SCHEMA "their extensions";
       CREATE EXTENSION btree_gin SCHEMA "their extensions"`,
    );
    expect(await migrate('ums')).toHaveLength(migrations.length);
  });

  itNotOn('citus', 'create extensions where the tables in another schema find them', async () => {
    expect(await migrate('ums')).toHaveLength(migrations.length);
    expect(await migrate('other')).toHaveLength(migrations.length);
    expect(await schemas()).toEqual(['public', 'public']);
    await host.dataSource.query('DROP SCHEMA ums CASCADE');
    expect(await migrate('other')).toEqual([]);
  });

  itNotOn('citus', 'create extensions beside the tables if there is no public schema', async () => {
    await host.dataSource.query('DROP SCHEMA public CASCADE');
    expect(await migrate('ums')).toHaveLength(migrations.length);
    expect(await migrate('other')).toHaveLength(migrations.length);
    expect(await schemas()).toEqual(['ums', 'ums']);
  });

  itNotOn(
    'citus',
    'take any name of a schema that TypeORM does not misread and PostgreSQL does not cut off',
    async () => {
      const name = "Lots of, 'odd' -- \\ Zeichen: ß";
      expect(await migrate(name)).toHaveLength(migrations.length);
      expect(await migrate(name)).toEqual([]);
      for (const name of ['q"x', 'a.b', '', 'x'.repeat(64), 'ß'.repeat(32)])
        await expect(migrate(name)).rejects.toThrow(`The schema ${JSON.stringify(name)} must have`);
    },
  );
});
