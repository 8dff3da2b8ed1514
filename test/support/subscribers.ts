import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import {
  type EventRecord,
  OrganizationsService,
  type Subscriber,
  UserManagementModule,
  type UserManagementOptions,
} from '../../src';
import { Mount } from '../../src/entry/embedding/mount';
import { readConfig } from '../../src/entry/process/config';
import { openDatabase } from '../../src/platform/database/data-source';
import { emptyDatabase, type TestDatabase } from './database';
import { lengthenLimits, timeoutsOf } from './defaults';
import { late } from './late';

interface Worker {
  app: INestApplicationContext;
  dataSource: DataSource;
  close(): Promise<void>;
}

/** Starts an application without HTTP that has these subscribers. */
export async function startWorker(
  { env }: TestDatabase,
  subscribers: Subscriber[],
  options: UserManagementOptions = {},
): Promise<Worker> {
  const config = readConfig({ MIGRATE_ON_START: 'false', ...env });
  const database = await openDatabase(config, { entities: [], migrations: [] }, timeoutsOf({}));
  const app = await NestFactory.createApplicationContext(
    {
      module: class Worker {},
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({ ...database.dataSource.options, retryAttempts: 0 }),
          dataSourceFactory: async () => database.dataSource,
        }),
        UserManagementModule.forRoot({ schema: 'ums', subscribers, ...options }),
      ],
    },
    { logger: false, abortOnError: false },
  ).catch(async (error) => {
    await database.close();
    throw error;
  });
  lengthenLimits(app.get(Mount, { strict: false }).service, {});
  return {
    app,
    dataSource: app.get(getDataSourceToken()),
    async close() {
      await app.close();
      await database.close();
    },
  };
}

/** Gives each test an empty database, and starts an application there, which is closed after the test. */
export function useWorker() {
  let copy: TestDatabase | undefined;
  let worker: Worker | undefined;
  beforeEach(async () => void (copy = await emptyDatabase()));
  afterEach(async () => {
    await worker?.close();
    worker = undefined;
    await copy?.drop();
  });
  return {
    copy: late(() => copy!),
    start: async (subscribers: Subscriber[], options?: UserManagementOptions) =>
      (worker = await startWorker(copy!, subscribers, options)),
  };
}

/** A subscriber that keeps what it gets, as "organization: type". */
export function recorder(name: string, more: Partial<Subscriber> = {}) {
  const events: (EventRecord & { organizationId: string })[] = [];
  const handle: Subscriber['handle'] = (event, { organizationId }) => {
    events.push({ ...event, organizationId });
  };
  const of = (organizationId: string) => events.filter((event) => event.organizationId === organizationId);
  return { subscriber: { name, handle, ...more }, events, of };
}

export const newOrganization = async ({ app }: Worker) =>
  (await app.get(OrganizationsService).create('Test')).id;
export const person = (n: number) => ({ name: `Person ${n}`, email: `person-${n}@example.com` });
export const cursorsOf = ({ dataSource }: Worker, organizationId: string) =>
  dataSource.query(
    'SELECT subscriber, sequence::int, failures FROM ums.event_cursors WHERE organization_id = $1',
    [organizationId],
  );

/** Ends every pause, as time would. */
export const endPauses = ({ dataSource }: Worker, where = 'true') =>
  dataSource.query(
    `UPDATE ums.event_cursors SET claimed_until = now() - interval '1 ms', due_at = now() - interval '1 ms' WHERE ${where}`,
  );
