import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { getDataSourceToken } from '@nestjs/typeorm';
import { OrganizationsService, UsersService } from 'user-management-service';

const require = createRequire(import.meta.url);
const { createApp } = require('../../../dist/apps/people/app.js');
const { BadgesService } = require('../../../dist/apps/people/badges.service.js');
const { Badge } = require('../../../dist/apps/people/badge.entity.js');
const { documentationOf } = require('../../../dist/apps/people/documentation.js');
const { firstToken } = require('../../../dist/apps/people/first-token.js');
const { migrate } = require('../../../dist/apps/people/migrate.js');
const { ReportsController } = require('../../../dist/apps/people/reports.controller.js');
const { MailService } = require('../../../dist/apps/people/mail.module.js');
const { OnboardingService } = require('../../../dist/apps/people/onboarding.service.js');
const { TenantsService } = require('../../../dist/apps/people/tenants.service.js');

const { WorkerModule } = require('../../../dist/apps/people/worker.module.js');

let app;
before(async () => {
  await migrate();
  app = await createApp();
  await app.init();
});
after(() => app.close());

test('a controller, with the service replaced', async () => {
  const users = { list: async () => ({ data: [{ name: 'Ada' }], nextCursor: null }) };
  const module = await Test.createTestingModule({
    controllers: [ReportsController],
    providers: [{ provide: UsersService, useValue: users }],
  }).compile();
  assert.deepEqual(await module.get(ReportsController).admins('org_1'), ['Ada']);
});

test('a foreign key to users, and an entity to read them', async () => {
  const users = app.get(UsersService);
  const { id: organizationId } = await app.get(OrganizationsService).create('Example Inc.');
  const { id: userId } = await users.create(organizationId, { name: 'Ada', email: 'ada@example.com' });
  const badges = app.get(getDataSourceToken()).getRepository(Badge);
  await badges.insert({ organizationId, userId, number: '4711' });

  const [{ number, member }] = await badges.find({ where: { organizationId }, relations: { member: true } });
  assert.deepEqual([number, member.name], ['4711', 'Ada']);

  await assert.rejects(users.delete(organizationId, userId), { status: 409 });
  await badges.delete({ organizationId, userId });
  await users.delete(organizationId, userId);
});

test('single keys of the metadata', async () => {
  const users = app.get(UsersService);
  const { id: organizationId } = await app.get(OrganizationsService).create('Example Inc.');
  const ada = { name: 'Ada', email: 'ada@example.com', metadata: { trial: true, seats: 5 } };
  const { id: userId } = await users.create(organizationId, ada);
  await users.merge(organizationId, userId, { metadata: { plan: 'pro', trial: null } });
  assert.deepEqual((await users.get(organizationId, userId)).metadata, { plan: 'pro', seats: 5 });
});

test('for whom the application acts', async () => {
  const users = app.get(UsersService);
  const { id: organizationId } = await app.get(OrganizationsService).create('Example Inc.');
  const { id: userId } = await users.create(organizationId, { name: 'Ada', email: 'ada@example.com' });
  const session = { email: 'grace@example.com' };
  const actor = { type: 'system', id: null, name: 'billing' };
  const by = { organizationId, actor, source: 'application', requestId: null, onBehalfOf: session.email };
  await users.update(by, userId, { role: 'viewer' });
  const dataSource = app.get(getDataSourceToken());
  const changes = await dataSource.query(
    `SELECT on_behalf_of FROM ums.events WHERE organization_id = $1 AND type = 'user.updated'`,
    [organizationId],
  );
  assert.deepEqual(changes, [{ on_behalf_of: 'grace@example.com' }]);
});

test('users by their ids, and what a directory has given of one', async () => {
  const users = app.get(UsersService);
  const { id: organizationId } = await app.get(OrganizationsService).create('Example Inc.');
  const { id: userId } = await users.create(organizationId, { name: 'Ada', email: 'ada@example.com' });
  const authorIds = [userId];
  const { directory } = await users.get(organizationId, userId, { include: ['directory'] });
  const authors = await users.byIds(organizationId, authorIds);
  assert.deepEqual([directory, authors.map(({ name }) => name)], [null, ['Ada']]);
});

test('one user by its email', async () => {
  const users = app.get(UsersService);
  const { id: organizationId } = await app.get(OrganizationsService).create('Example Inc.');
  const session = { email: 'Ada@Example.com' };
  assert.equal(await users.find(organizationId, { email: session.email }), null);
  await users.create(organizationId, { name: 'Ada', email: 'ada@example.com' });
  const user = await users.find(organizationId, { email: session.email });
  assert.equal(user.name, 'Ada');
});

test('many users deleted at once', async () => {
  const users = app.get(UsersService);
  const { id: organizationId } = await app.get(OrganizationsService).create('Example Inc.');
  await users.create(organizationId, { name: 'Ada', email: 'ada@example.com', externalId: 'E-4711' });
  const { counts } = await users.batchDelete(organizationId, {
    by: 'externalId',
    users: [{ externalId: 'E-4711' }],
  });
  assert.deepEqual(counts, { deleted: 1, failed: 0 });
});

test("a user and the application's own row, in one transaction", async () => {
  const [badges, users] = [app.get(BadgesService), app.get(UsersService)];
  const { id: organizationId } = await app.get(OrganizationsService).create('Example Inc.');
  const { id: userId } = await badges.welcome(organizationId, { name: 'Ada', email: 'ada@example.com' }, '1');
  assert.equal((await users.get(organizationId, userId)).name, 'Ada');

  const eve = { name: 'Eve', email: 'eve@example.com' };
  await assert.rejects(badges.welcome(organizationId, eve, '1'), { name: 'QueryFailedError' });
  await assert.rejects(badges.welcome(organizationId, { ...eve, email: 'ada@example.com' }, '2'), {
    status: 409,
  });
  assert.equal((await users.list(organizationId)).data.length, 1);
  await badges.welcome(organizationId, eve, '2');
});

test('the same with @Transactional()', async () => {
  const [onboarding, users] = [app.get(OnboardingService), app.get(UsersService)];
  const { id: organizationId } = await app.get(OrganizationsService).create('Example Inc.');
  const count = async () => (await users.list(organizationId)).data.length;
  const [ada, eve] = ['Ada', 'Eve'].map((name) => ({ name, email: `${name}@example.com` }));
  await onboarding.welcome(organizationId, ada, '1');
  assert.equal(await count(), 1);

  await assert.rejects(onboarding.welcome(organizationId, eve, '1'), { name: 'QueryFailedError' });
  await assert.rejects(onboarding.welcome(organizationId, { ...eve, email: ada.email }, '2'), {
    status: 409,
  });
  const people = [
    { person: eve, number: '2' },
    { person: { name: 'Bob', email: 'bob@example.com' }, number: '1' },
  ];
  await assert.rejects(onboarding.welcomeAll(organizationId, people), { name: 'QueryFailedError' });
  assert.equal(await count(), 1);

  people[1].number = '3';
  await onboarding.welcomeAll(organizationId, people);
  assert.equal(await count(), 3);
  assert.equal(await app.get(getDataSourceToken()).getRepository(Badge).countBy({ organizationId }), 3);
});

test('a subscriber, in a process of its own', { timeout: 30_000 }, async () => {
  const worker = await NestFactory.createApplicationContext(WorkerModule, { logger: ['error'] });
  try {
    const { id: organizationId } = await app.get(OrganizationsService).create('Example Inc.');
    const { id } = await app
      .get(UsersService)
      .create(organizationId, { name: 'Ada', email: 'ada@example.com' });
    const { welcomed } = worker.get(MailService, { strict: false });
    while (welcomed.length === 0) await sleep(50);
    assert.deepEqual(welcomed, [id]);
  } finally {
    await worker.close();
  }
});

test("the application's documentation, with the routes of the service", () => {
  const { paths, components } = documentationOf(app);
  assert.ok(paths['/backend/users'].post);
  assert.ok(paths['/backend/internal/api/v1/users'].post.requestBody);
  assert.equal(paths['/livez'], undefined);
  const { schema } = paths['/backend/members'].post.requestBody.content['application/json'];
  assert.ok(components.schemas[schema.$ref.split('/').at(-1)].properties.email);
  const references = JSON.stringify(paths).matchAll(/"#\/components\/(\w+)\/(\w+)"/g);
  for (const [reference, kind, name] of references) assert.ok(components[kind][name], reference);
});

test("one Swagger UI for the application's document and that of the service", async () => {
  await app.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${app.getHttpServer().address().port}`;
  const get = async (path, headers) => {
    const response = await fetch(new URL(path, url), { headers });
    assert.equal(response.status, 200, path);
    return response;
  };
  const page = await (await get('/docs')).text();
  const script = await (await get(/docs\/swagger-ui-init\.js/.exec(page)[0])).text();
  const offered = [...script.matchAll(/"url": "(.*\.json)"/g)].map(([, document]) => document);
  const [own, service] = await Promise.all(offered.map(async (document) => (await get(document)).json()));
  assert.ok(own.paths['/backend/users'].post);
  assert.equal(own.paths['/api/v1/users'], undefined);
  assert.ok(own.components.schemas.CreateUser.properties.email);

  // Swagger UI sends its requests to a path of the document below the address of the server.
  const Authorization = `Bearer ${await firstToken(app)}`;
  assert.ok(service.paths['/api/v1/users'].get);
  await get(`${service.servers[0].url}/api/v1/users`, { Authorization });
});

test('organizations of the application', async () => {
  const tenants = app.get(TenantsService);
  const tenant = { id: `tenant-${Date.now()}`, name: 'Example Inc.' };
  const id = await tenants.organizationOf(tenant);
  assert.equal(await tenants.organizationOf(tenant), id);

  const organizations = app.get(OrganizationsService);
  assert.equal((await organizations.rename(id, 'Example Ltd.')).name, 'Example Ltd.');
  await organizations.suspend(id);
  await organizations.delete(id);
  assert.equal(await organizations.find({ externalId: tenant.id }), null);
});

test('health and metrics', async () => {
  const server = app.getHttpServer();
  if (!server.listening) await app.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${server.address().port}/backend`;
  const { status, details } = await (await fetch(`${url}/health/ready`)).json();
  assert.deepEqual([status, details.users], ['ok', { status: 'up' }]);

  const Authorization = `Bearer ${await firstToken(app)}`;
  await fetch(`${url}/internal/api/v1/users/usr_x`, { headers: { Authorization } });
  const response = await fetch(`${url}/metrics`);
  assert.match(response.headers.get('content-type'), /^text\/plain; version=0.0.4/);
  const text = await response.text();
  assert.match(
    text,
    /^ums_http_request_duration_seconds_count\{.*route="\/api\/v1\/users\/:id",status="404"\} 1$/m,
  );
  assert.equal(text.match(/^# TYPE process_cpu_seconds_total /gm).length, 1);

  const dataSource = app.get(getDataSourceToken());
  const rename = (from, to) =>
    dataSource.query(`ALTER TABLE ums.ums_migrations RENAME COLUMN ${from} TO ${to}`);
  await rename('name', 'former');
  try {
    let ready;
    do ready = await fetch(`${url}/health/ready`);
    while (ready.status === 200); // the service asks the database at most once a second
    assert.equal(ready.status, 503);
  } finally {
    await rename('former', 'name');
  }
});

test('a shutdown on SIGTERM', { timeout: 30_000 }, async () => {
  const main = spawn(process.execPath, ['dist/apps/people/main.js'], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((listening) => main.stdout.once('data', listening));
  main.kill('SIGTERM');
  const signal = await new Promise((exited) => main.once('exit', (_code, signal) => exited(signal)));
  assert.equal(signal, 'SIGTERM'); // Nest repeats the signal when everything is closed
});
