import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { DataSource } from 'typeorm';
import { createApp } from '../../src/entry/process/setup';
import type { Scope } from '../../src/platform/http/scopes';
import { readConfig } from '../../src/entry/process/config';
import { openDatabase } from '../../src/platform/database/data-source';
import { createLog } from '../../src/entry/process/log';
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { TokensService } from '../../src/tokens/tokens.service';
import { schema } from '../../src/schema';
import { Client, deviated } from './client';
import { copyOfTemplate } from './database';
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

/** The service as `npm start` runs it, but for `DEFAULTS`, on a database of its own. */
export async function startService(
  env: NodeJS.ProcessEnv = {},
  options: TestServiceOptions = {},
): Promise<TestService> {
  const { background } = { ...DEFAULTS, ...options };
  const copy = await copyOfTemplate();
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
    url,
    logs,
    env: copy.env,
    dataSource: database.dataSource,
    async client({ scopes = ['admin'], organizationId }: { scopes?: Scope[]; organizationId?: string } = {}) {
      organizationId ??= (await app.get(OrganizationsService).create('Test')).id;
      const { token, value } = await app.get(TokensService).create(organizationId, { name: 'Test', scopes });
      return new Client(url, { organizationId, tokenId: token.id, value });
    },
    anonymous: () => new Client(url),
    async close() {
      await app.close();
      await database.close();
      await copy.drop();
      // In every test file, responses match openapi.json, and no token and no secret of a webhook is logged.
      expect([...new Set(deviated)]).toEqual([]);
      expect(logs.join('')).not.toMatch(/umt_[0-9A-Za-z]{38}|whsec_/);
    },
  };
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

/** Starts a service for a suite or a `describe` block. */
export function useService(env: NodeJS.ProcessEnv = {}, options: TestServiceOptions = {}): TestService {
  let service: TestService | undefined;
  beforeAll(async () => void (service = await startService(env, options)));
  afterAll(() => service?.close());
  return late(() => service!);
}

/** Starts a service, and gives each test a client of a new organization. */
export function useApi(
  env: NodeJS.ProcessEnv = {},
  options: TestServiceOptions = {},
): { service: TestService; api: Client } {
  const service = useService(env, options);
  let api: Client | undefined;
  beforeEach(async () => void (api = await service.client()));
  return { service, api: late(() => api!) };
}
