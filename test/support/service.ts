import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { DataSource } from 'typeorm';
import { createApp } from '../../src/entry/process/setup';
import type { Scope } from '../../src/platform/http/scopes';
import { readConfig } from '../../src/entry/process/config';
import { type OpenDatabase, openDatabase } from '../../src/platform/database/data-source';
import { createLog, NestLog } from '../../src/entry/process/log/log';
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { TokensService } from '../../src/tokens/tokens.service';
import { schema } from '../../src/schema';
import { Client, deviated } from './client';
import { copyOfTemplate, type TestDatabase } from './database';
import { DEFAULTS, lengthenOwnLimits, type TestServiceOptions, timeoutsOf } from './defaults';
import { late } from './late';

export interface TestService {
  app: NestExpressApplication;
  dataSource: DataSource;
  /** Environment variables for other processes on the same database. */
  env: NodeJS.ProcessEnv;
  url: string;
  /** Every line of the log, at the level trace. */
  logs: string[];
  /** A client of the given organization, or of a new one. */
  client(options?: { scopes?: Scope[]; organizationId?: string }): Promise<Client>;
  /** A client without a token. */
  anonymous(): Client;
  close(): Promise<void>;
}

/** What runs of a service, whatever suite uses it. */
interface Running {
  app: NestExpressApplication;
  database: OpenDatabase;
  url: string;
  logs: string[];
  log: NestLog;
  env: NodeJS.ProcessEnv;
  end(): Promise<void>;
}

/** The service as `npm start` runs it, but for `DEFAULTS`, on this database, or on one of its own. */
export async function startService(
  env: NodeJS.ProcessEnv = {},
  options: TestServiceOptions = {},
  given?: TestDatabase,
): Promise<TestService> {
  const running = await run(env, options, given);
  return inSuite(running, running.end);
}

async function run(
  env: NodeJS.ProcessEnv,
  options: TestServiceOptions,
  given?: TestDatabase,
): Promise<Running> {
  const { background } = { ...DEFAULTS, ...options };
  const copy = given ?? (await copyOfTemplate());
  const variables = { MIGRATE_ON_START: 'false', LOG_LEVEL: 'trace', ...copy.env, ...env };
  const config = { ...readConfig(variables), background };
  const database = await openDatabase(config, schema, timeoutsOf(options));
  const logs: string[] = [];
  const log = createLog(config.logLevel, { write: (line) => void logs.push(line) });
  const app = await createApp(config, database, log);
  lengthenOwnLimits(app, options);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  return {
    app,
    database,
    url,
    logs,
    log: new NestLog(log),
    env: copy.env,
    async end() {
      await app.close();
      await database.close();
      if (!given) await copy.drop();
    },
  };
}

/** What a suite sees of a service. */
function inSuite({ app, database, url, logs, env }: Running, end: () => Promise<void>): TestService {
  return {
    app,
    url,
    logs,
    env,
    dataSource: database.dataSource,
    async client({ scopes = ['admin'], organizationId }: { scopes?: Scope[]; organizationId?: string } = {}) {
      organizationId ??= (await app.get(OrganizationsService).create('Test')).id;
      const { token, value } = await app.get(TokensService).create(organizationId, { name: 'Test', scopes });
      return new Client(url, { organizationId, tokenId: token.id, value });
    },
    anonymous: () => new Client(url),
    async close() {
      await end();
      // In every test file, responses match openapi.json, and no token and no secret of a webhook is logged.
      expect([...new Set(deviated)]).toEqual([]);
      expect(logs.join('')).not.toMatch(/umt_[0-9A-Za-z]{38}|whsec_/);
    },
  };
}

/** Under this name the process keeps the service that its suites share. */
const SHARED = Symbol.for('the shared service');
const kept = globalThis as { [SHARED]?: Promise<Running> };

/** The service of a suite that needs no settings, with its database: each process of Jest has one. */
async function sharedService(): Promise<TestService> {
  kept[SHARED] ??= run({ RATE_LIMIT_PER_MINUTE: '1000000' }, {}).then(endWithProcess);
  const running = await kept[SHARED];
  running.logs.length = 0;
  Logger.overrideLogger(running.log); // Nest's is that of the service that was started last
  return inSuite(running, async () => {});
}

/** Another process on the same database, and on the connections of the service. */
export interface Replica {
  app: NestExpressApplication;
  url: string;
  close(): Promise<void>;
}

export async function startReplica(
  { dataSource, env: database }: TestService,
  env: NodeJS.ProcessEnv,
  options: TestServiceOptions = {},
): Promise<Replica> {
  const { background } = { ...DEFAULTS, ...options };
  const config = { ...readConfig({ ...env, MIGRATE_ON_START: 'false', ...database }), background };
  const app = await createApp(config, { dataSource, close: async () => {} }, createLog('fatal'));
  lengthenOwnLimits(app, options);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { app, url: `http://127.0.0.1:${port}`, close: () => app.close() };
}

/** Ends a service when Jest ends its process, or has run the suites in its own. Its database ends with the server. */
function endWithProcess(running: Running): Running {
  const CHILD_MESSAGE_END = 2; // of jest-worker
  const end = () => running.app.close().then(() => running.database.close());
  process.on('message', function onMessage([kind]: [number]) {
    if (kind !== CHILD_MESSAGE_END) return;
    process.off('message', onMessage);
    void end();
  });
  Object.assign(globalThis, { endSharedService: end }); // for run/teardown.mjs
  return running;
}

/**
 * A service for a suite or a `describe` block. Without settings it is shared with other suites: each test makes an
 * organization of its own, counts nothing of others, and leaves the service and its database as they were.
 */
export function useService(env?: NodeJS.ProcessEnv, options?: TestServiceOptions): TestService {
  let service: TestService | undefined;
  beforeAll(async () => void (service = await (env ? startService(env, options) : sharedService())));
  afterAll(() => service?.close());
  return late(() => service!);
}

/** A service, and for each test a client of a new organization. */
export function useApi(
  env?: NodeJS.ProcessEnv,
  options?: TestServiceOptions,
): { service: TestService; api: Client } {
  const service = useService(env, options);
  let api: Client | undefined;
  beforeEach(async () => void (api = await service.client()));
  return { service, api: late(() => api!) };
}
