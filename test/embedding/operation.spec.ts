/**
 * @slow it starts host applications
 * @only embedded postgres: a host migrates an empty database; test/citus/distribute.test.mjs distributes its tables
 */
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';
import request from 'supertest';
import { migrations } from '../../migrations';
import { UserManagementHealth, UserManagementModule, UsersService, WebhooksService } from '../../src';
import { HostMetrics } from '../../src/entry/embedding/metrics';
import { Metrics } from '../../src/entry/metrics/metrics';
import { Mount } from '../../src/entry/embedding/mount';
import { Database } from '../../src/platform/database/database';
import { withoutDatabase } from '../support/database';
import { clientOf, onHost, OPTIONS, useHost } from '../support/embedding';
import { describeOn } from '../support/engine';
import { startHost } from '../support/host';
import { startReceiver } from '../support/receiver';
import { useWorker } from '../support/subscribers';
import { until } from '../support/until';

const { host } = useHost();
describe('the health of the service in an application', () => {
  it('is up', async () => {
    expect(await host.app.get(UserManagementHealth).isHealthy('users')).toEqual({ users: { status: 'up' } });
  });

  it('is down while its schema is too old', () =>
    onHost(OPTIONS, async ({ app, dataSource }) => {
      await dataSource.query(
        'DELETE FROM ums.ums_migrations WHERE name = (SELECT max(name) FROM ums.ums_migrations)',
      );
      expect(await app.get(UserManagementHealth).isHealthy('users')).toEqual({
        users: {
          status: 'down',
          message:
            'The schema is older than this release. Call runMigrations(), or start a process with migrate: true.',
        },
      });
    }));

  it('is down from the start of a shutdown on, while the service is still open', async () => {
    const seen: unknown[] = [];
    @Injectable()
    class Balancer implements BeforeApplicationShutdown {
      constructor(private readonly health: UserManagementHealth) {}
      async beforeApplicationShutdown() {
        seen.push(await this.health.isHealthy('users'));
      }
    }
    const feature = { module: class Feature {}, providers: [Balancer] };
    const closing = await startHost([UserManagementModule.forRoot(OPTIONS), feature]);
    await closing.close();
    expect(seen).toEqual([{ users: { status: 'down', message: 'The service is shutting down.' } }]);
  });
});

describeOn('postgres', 'the health of the service without its database', () => {
  it('is down', async () => {
    const health = host.app.get(UserManagementHealth);
    await withoutDatabase(host.dataSource, async () => {
      const { users } = await until(async () => {
        const result = await health.isHealthy('users'); // asks at most once a second
        return result.users.status === 'down' && result;
      });
      expect(users.message).toBe('The database does not answer.');
    });
  });
});

describe('the metrics of the service in the registry of an application', () => {
  const encryptionKey = Buffer.alloc(32, 7).toString('base64');

  it('are those of a process of its own, as long as the application runs', async () => {
    const metrics = new Registry();
    collectDefaultMetrics({ register: metrics });
    const own = metrics.getMetricsAsArray();
    const receiver = await startReceiver();
    const options = {
      ...OPTIONS,
      background: true,
      metrics,
      subscribers: [{ name: 'billing', handle: () => {} }],
      webhooks: { encryptionKey, allowedNetworks: ['127.0.0.0/8'] },
    };
    const embed = (test: Parameters<typeof onHost>[1]) => onHost(options, test);
    await embed(async (host) => {
      const api = await clientOf(host);
      await request(host.url).get('/backend/v1/users').set('X-Host', 'me').expect(200);
      await api.get('/backend/internal/api/v1/users/usr_x').expect(404);
      const id = api.organizationId;
      await host.app.get(WebhooksService).create(id, { url: receiver.url, types: ['user.created'] });
      await host.app.get(UsersService).create(id, { name: 'Ada', email: 'ada@example.com' });
      await receiver.until(({ length }) => length > 0);
      const database = host.app.get(Mount).service.get(Database);
      await host.app.get(HostMetrics).metrics!['refresh'](database); // as a minute later

      const text = await until(async () => {
        const text = await metrics.metrics();
        return text.includes('ums_webhook_attempts_total{outcome="delivered"} 1') && text;
      });
      const samples = text.split('\n');
      expect(samples).toContain(
        'ums_http_request_duration_seconds_count{method="GET",route="/api/v1/users/:id",status="404"} 1',
      );
      expect(
        samples.filter((line) => line.startsWith('ums_http_request_duration_seconds_count')),
      ).toHaveLength(1);
      expect(text).toMatch(/^ums_subscriber_undelivered_events\{subscriber="billing"\} \d+$/m);
      expect(text).toMatch(/^ums_events_numbered \d+$/m);
      expect(text).toMatch(/^ums_database_connections_idle \d+$/m);
    });
    expect(metrics.getMetricsAsArray()).toEqual(own);
    await embed(async () => {
      const alone = new Metrics({ totalCount: 0, idleCount: 0, waitingCount: 0 })['registry'];
      const names = (registry: Registry) => registry.getMetricsAsArray().map(({ name }) => name);
      const ofDefault = own.map(({ name }) => name);
      expect(names(metrics)).toEqual([...ofDefault, ...names(alone), 'ums_webhook_attempts_total']);
    });
    await receiver.close();
  });
});

describe('the log of a start', () => {
  const { start } = useWorker();

  it('names the schema, its migrations, and whether background work is done', async () => {
    const log = jest.spyOn(Logger.prototype, 'log');
    const last = migrations.at(-1)!.name;
    for (const [options, line] of [
      [
        { background: true },
        `${migrations.length} migrations ran (CreateOrganizations1764100000000, …, ${last}). Background work: on.`,
      ],
      [{ background: false }, 'up to date. Background work: off.'],
      [{ background: false, migrate: false }, 'not migrated at this start. Background work: off.'],
    ] as const) {
      const { close } = await start([], options);
      expect(log.mock.calls.map(([message]) => message)).toContain(`Schema ums: ${line}`);
      await close();
    }
  });
});
