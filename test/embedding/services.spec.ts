/**
 * @slow it starts host applications
 * @only embedded postgres: a host migrates an empty database; test/citus/distribute.test.mjs distributes its tables
 */
import { BadRequestException, type HttpException, NotFoundException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  OrganizationsService,
  TokensService,
  UserManagementModule,
  UserSearch,
  UsersService,
} from '../../src';
import { readConfig } from '../../src/entry/process/config';
import { openDatabase } from '../../src/platform/database/data-source';
import { emptyDatabase } from '../support/database';
import { OPTIONS, useHost } from '../support/embedding';

const { host } = useHost();

it('offers its services to a host that serves no HTTP', async () => {
  const copy = await emptyDatabase();
  const config = readConfig({ MIGRATE_ON_START: 'false', ...copy.env });
  const database = await openDatabase(config, { entities: [], migrations: [] });
  const worker = await NestFactory.createApplicationContext(
    {
      module: class Worker {},
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({ ...database.dataSource.options, retryAttempts: 0 }),
          dataSourceFactory: async () => database.dataSource,
        }),
        UserManagementModule.forRoot(OPTIONS),
      ],
    },
    { logger: false, abortOnError: false },
  );
  try {
    const { id } = await worker.get(OrganizationsService).create('Test');
    await worker.get(UsersService).create(id, { name: 'Ada', email: 'ada@example.com' });
    expect((await worker.get(UsersService).list(id)).data).toMatchObject([{ name: 'Ada' }]);
  } finally {
    await worker.close();
    await database.close();
    await copy.drop();
  }
});

describe('the services', () => {
  const faultsOf = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(error).toBeInstanceOf(BadRequestException);
    const { errors } = (error as BadRequestException).getResponse() as {
      errors: { field: string; code: string }[];
    };
    return errors.map(({ field, code }) => `${field} ${code}`);
  };

  it('accept the same input as the API, with the same defaults', async () => {
    const [users, organizations] = [host.app.get(UsersService), host.app.get(OrganizationsService)];
    const { id } = await organizations.create(' Spaced ');
    const user = await users.create(id, { name: ' Ada ', email: 'ada@example.com' });
    expect(user).toMatchObject({ name: 'Ada', role: 'member', metadata: {} });
    expect((await users.list(id)).data).toMatchObject([{ id: user.id }]);
    expect((await users.list(id, { email: undefined, limit: undefined })).data).toHaveLength(1);
    expect((await host.app.get(UserSearch).search(id, { q: 'ada' })).data).toMatchObject([{ id: user.id }]);
  });

  it('return the same plain record from every method', async () => {
    const [users, tokens] = [host.app.get(UsersService), host.app.get(TokensService)];
    const { id: organizationId } = await host.app.get(OrganizationsService).create('Test');
    const created = await users.create(organizationId, { name: 'Boom', email: 'boom@example.com' });
    expect(Object.keys(created)).toEqual([
      'id',
      'externalId',
      'name',
      'email',
      'role',
      'active',
      'metadata',
      'version',
      'createdAt',
      'updatedAt',
    ]);
    const sorts = ['createdAt', 'updatedAt', 'name', 'email'] as const;
    expect(await users.get(organizationId, created.id)).toEqual(created);
    expect(await users.update(organizationId, created.id, {})).toEqual(created);
    const pages = await Promise.all(sorts.map((sort) => users.list(organizationId, { sort })));
    pages.push(await host.app.get(UserSearch).search(organizationId, { q: 'boom' }));
    for (const { data } of pages) expect(data).toEqual([created]);
    const changed = await users.update(organizationId, created.id, { role: 'admin' });
    expect(changed).toEqual({ ...created, role: 'admin', version: 2, updatedAt: changed.updatedAt });

    const { token } = await tokens.create(organizationId, { name: 'Test', scopes: ['admin'] });
    expect(token).toMatchObject({ state: 'active', lastUsedAt: null });
    expect(await tokens.get(organizationId, token.id)).toEqual(token);
    expect((await tokens.list(organizationId)).data).toEqual([token]);
  });

  it('let the application give a token more requests than the service allows, but no caller of the API', async () => {
    const tokens = host.app.get(TokensService);
    const { id } = await host.app.get(OrganizationsService).create('Test');
    const wanted = { name: 'Busy', scopes: ['admin' as const], rateLimit: 100_000 };
    expect((await tokens.create(id, wanted)).token.rateLimit).toBe(100_000);
    const actor = { type: 'token' as const, id: 'tok_1', name: 'CI' };
    const by = { organizationId: id, actor, source: 'api' as const, requestId: null };
    await expect(tokens.create(by, wanted)).rejects.toMatchObject({ status: 400 });
  });

  it('throw exceptions whose bodies have one shape', async () => {
    const users = host.app.get(UsersService);
    const { id } = await host.app.get(OrganizationsService).create('Test');
    const user = { name: 'Ada', email: 'ada@example.com' };
    await users.create(id, user);
    const bodyOf = (call: Promise<unknown>) => call.catch((error: HttpException) => error.getResponse());
    expect(await bodyOf(users.get(id, 'usr_x'))).toEqual({
      statusCode: 404,
      code: 'not_found',
      message: 'There is no such user.',
    });
    expect(await bodyOf(users.create(id, user))).toEqual({
      statusCode: 409,
      code: 'conflict',
      message: 'The email is already used by another user of the organization.',
      errors: [{ field: 'email', code: 'taken', message: expect.any(String) }],
    });
    expect(await bodyOf(users.create(id, { ...user, name: '' }))).toEqual({
      statusCode: 400,
      code: 'validation_failed',
      message: '1 field is invalid.',
      errors: [{ field: 'name', code: 'too_short', message: expect.any(String) }],
    });
  });

  it('reject the same input as the API', async () => {
    const [users, tokens] = [host.app.get(UsersService), host.app.get(TokensService)];
    const { id } = await host.app.get(OrganizationsService).create('Test');
    expect(await faultsOf(users.create(id, { name: '', email: 'nobody' }))).toEqual([
      'name too_short',
      'email invalid',
    ]);
    expect(await faultsOf(users.update(id, 'usr_x', { name: null } as never))).toEqual(['name invalid']);
    expect(await faultsOf(users.list(id, { limit: 1000, sort: 'age' as never }))).toEqual([
      'sort invalid',
      'limit out_of_range',
    ]);
    expect(await faultsOf(host.app.get(UserSearch).search(id, { q: 'x' }))).toEqual(['q too_short']);
    expect(await faultsOf(tokens.create(id, { name: 'x', scopes: [] }))).toEqual(['scopes too_short']);
    expect(await faultsOf(tokens.list(id, { state: 'lost' as never }))).toEqual(['state invalid']);
    expect(await faultsOf(host.app.get(OrganizationsService).create(''))).toEqual(['name too_short']);
  });

  it('report an unknown organization', async () => {
    const [users, tokens] = [host.app.get(UsersService), host.app.get(TokensService)];
    const nowhere = 'org_00000000000000000000000000';
    const token = tokens.create(nowhere, { name: 'x', scopes: ['admin'] });
    await expect(token).rejects.toThrow(new NotFoundException('There is no such organization.'));
    const user = users.create(nowhere, { name: 'Ada', email: 'ada@example.com' });
    await expect(user).rejects.toThrow(new NotFoundException('There is no such organization.'));
    expect((await users.list(nowhere)).data).toEqual([]);
  });
});
