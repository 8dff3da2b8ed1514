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
const { createApp } = require('../dist/cjs/app.js');
const { BadgesService } = require('../dist/cjs/badges.service.js');
const { Badge } = require('../dist/cjs/badge.entity.js');
const { documentationOf } = require('../dist/cjs/documentation.js');
const { migrate } = require('../dist/cjs/migrate.js');
const { ReportsController } = require('../dist/cjs/reports.controller.js');
const { MailService } = require('../dist/cjs/mail.module.js');
const { TenantsService } = require('../dist/cjs/tenants.service.js');

const { WorkerModule } = require('../dist/cjs/worker.module.js');

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
  const references = JSON.stringify(paths).matchAll(/"#\/components\/(\w+)\/(\w+)"/g);
  for (const [reference, kind, name] of references) assert.ok(components[kind][name], reference);
});

test('organizations of the application', async () => {
  const tenants = app.get(TenantsService);
  const tenant = { id: `tenant-${Date.now()}`, name: 'Example Inc.' };
  const id = await tenants.organizationOf(tenant);
  assert.equal(await tenants.organizationOf(tenant), id);

  const organizations = app.get(OrganizationsService);
  assert.equal((await organizations.rename(id, 'Example Ltd.')).name, 'Example Ltd.');
  await organizations.delete(id);
  assert.equal(await organizations.find({ externalId: tenant.id }), null);
});

test('a shutdown on SIGTERM', { timeout: 30_000 }, async () => {
  const main = spawn(process.execPath, ['dist/cjs/main.js'], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((listening) => main.stdout.once('data', listening));
  main.kill('SIGTERM');
  const signal = await new Promise((exited) => main.once('exit', (_code, signal) => exited(signal)));
  assert.equal(signal, 'SIGTERM'); // Nest repeats the signal when everything is closed
});
