/**
 * @slow it starts host applications
 * @only embedded postgres: a host migrates an empty database; test/citus/distribute.test.mjs distributes its tables
 */
import {
  type ArgumentMetadata,
  BadRequestException,
  Body,
  Catch,
  Controller,
  Get,
  Module,
  Param,
  Post,
  type Type,
  UseFilters,
  ValidationPipe,
} from '@nestjs/common';
import { BaseExceptionFilter, type ModuleRef } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { ApiBody, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import type { Request } from 'express';
import {
  AnyToken,
  type CallerToken,
  CreateUserDto,
  CreateWebhookDto,
  CurrentToken,
  CurrentUser,
  type HostUser,
  ListUsersDto,
  OrganizationId,
  OrganizationsService,
  Scopes,
  TokenGuard,
  type UpdateUserDto as Changes,
  UpdateUserDto,
  UserManagementModule,
  type UserRecord,
  UsersService,
} from '../../src';
import { Client } from '../support/client';
import { withoutDatabase } from '../support/database';
import { clientOf, OPTIONS } from '../support/embedding';
import { describeOn } from '../support/engine';
import { type Host, startHost } from '../support/host';

/** Answers as an application without a filter of its own. */
@Catch()
class DefaultFilter extends BaseExceptionFilter {}

@Controller('members')
@SkipThrottle()
@UseFilters(DefaultFilter)
class MembersController {
  constructor(private readonly users: UsersService<{ plan?: 'free' | 'pro' }>) {}

  @Post()
  @Scopes('users:write')
  @ApiBody({ type: CreateUserDto })
  create(@OrganizationId() organizationId: string, @Body() user: CreateUserDto) {
    return this.users.create(organizationId, user);
  }

  @Post('described')
  @ApiBody({ schema: { $ref: '#/components/schemas/CreateUser' } })
  described(@Body() user: CreateUserDto) {
    return user;
  }

  /** The type of the body is erased, so the pipe of the application skips it. */
  @Post(':id')
  @Scopes('users:write')
  update(@OrganizationId() organizationId: string, @Param('id') id: string, @Body() changes: Changes) {
    return this.users.update(organizationId, id, changes);
  }

  @Get('token')
  @AnyToken()
  token(@CurrentToken() token: CallerToken) {
    return token;
  }

  @Get('me')
  me(@CurrentUser() user: UserRecord, @CurrentUser() again: UserRecord) {
    return { name: user.name, isSame: user === again };
  }
}

@Module({ controllers: [MembersController] })
class MembersModule {}

const currentUser = jest.fn<HostUser | null | Promise<HostUser | null>, [Request]>();
let host: Host;
let api: Client;
beforeAll(async () => {
  const service = UserManagementModule.forRoot({ ...OPTIONS, rateLimitPerMinute: 5, currentUser });
  host = await startHost([service, { module: MembersModule }]);
});
afterAll(() => host?.close());
beforeEach(async () => void (api = await clientOf(host)));

const send = (client: Client, method: 'get' | 'post', path: string, body?: object) =>
  client.send(method, `/backend/v1/members${path}`, body).set('x-host', '1');

describe('the DTOs, with the validation pipe of an application', () => {
  const ada = { name: ' Ada ', email: 'ada@example.com', metadata: { plan: 'pro', deep: { list: [1, {}] } } };

  it('are the types of its routes', async () => {
    const { body } = await send(api, 'post', '', ada).expect(201);
    expect(body.data).toMatchObject({ ...ada, name: 'Ada', role: 'member' });
    const { body: refused } = await send(api, 'post', '', { name: '', nothing: 1, id: 'x' }).expect(400);
    expect(refused.message).toEqual(
      expect.arrayContaining([
        'property nothing should not exist',
        'name must not be empty',
        'email must be an email address',
        'id cannot be changed',
      ]),
    );
  });

  it('leave the answer to the service if only their type is imported', async () => {
    const { body } = await send(api, 'post', '/usr_x', { name: '', nothing: 1 }).expect(400);
    expect(body).toMatchObject({
      code: 'validation_failed',
      errors: [
        { field: 'nothing', code: 'unknown' },
        { field: 'name', code: 'too_short' },
      ],
    });
  });

  it.each([
    [{ transform: true }],
    [{ transform: true, whitelist: true }],
    [{ transform: true, whitelist: true, forbidNonWhitelisted: true }],
    [{ whitelist: true }],
    [{}],
  ])('pass and refuse what the services do: %j', async (options) => {
    const pipe = new ValidationPipe(options);
    const piped = (metatype: Type, value: object) =>
      pipe.transform(structuredClone(value), { type: 'body', metatype } satisfies ArgumentMetadata);
    const users = host.app.get(UsersService);
    const { organizationId } = api;
    const { id } = await users.create(organizationId, await piped(CreateUserDto, ada));
    const changes = { role: 'viewer', externalId: null, metadata: { a: null } };
    const changed = await users.update(organizationId, id, await piped(UpdateUserDto, changes));
    expect(changed).toMatchObject({ ...changes, name: 'Ada' });
    const query = { role: 'viewer,member', active: 'true', limit: '10', include: 'directory' };
    const { data } = await users.list(organizationId, await piped(ListUsersDto, query));
    expect(data).toMatchObject([{ id, directory: null }]);
    for (const [metatype, input, message] of [
      [CreateUserDto, { ...ada, email: 'x' }, 'email must be an email address'],
      [CreateUserDto, { ...ada, metadata: { '': 1 } }, 'metadata must not be empty'],
      [UpdateUserDto, { name: null }, 'name must be a string'],
      [CreateWebhookDto, { url: 'https://a.example', types: ['*', 'user.created'] }, /^types must not name/],
    ] as const) {
      const error = await piped(metatype, input).catch((error: BadRequestException) => error);
      const { message: messages } = (error as BadRequestException).getResponse() as { message: string[] };
      expect(messages).toContainEqual(expect.stringMatching(message));
    }
  });

  it('are validated by the services, whoever has made them', async () => {
    const users = host.app.get(UsersService);
    const made = Object.assign(new CreateUserDto(), { name: ' ', email: 'x' });
    await expect(users.create(api.organizationId, made)).rejects.toMatchObject({
      response: { code: 'validation_failed', errors: [{ field: 'name' }, { field: 'email' }] },
    });
  });

  it('are empty in its OpenAPI document, which can refer to a schema of the service instead', () => {
    const { paths, components } = SwaggerModule.createDocument(host.app, new DocumentBuilder().build());
    const bodyOf = (path: string) => paths[path].post!.requestBody;
    const content = ($ref: string) => ({ content: { 'application/json': { schema: { $ref } } } });
    expect(bodyOf('/backend/v1/members')).toMatchObject(content('#/components/schemas/CreateUserDto'));
    expect(components!.schemas!.CreateUserDto).toEqual({ type: 'object', properties: {} });
    expect(bodyOf('/backend/v1/members/described')).toMatchObject(content('#/components/schemas/CreateUser'));
  });
});

it('the token of a request shows nothing that only the guards need', async () => {
  const { body } = await send(api, 'get', '/token').expect(200);
  expect(body.data).toEqual({
    id: api.tokenId,
    organizationId: api.organizationId,
    name: 'Test',
    scopes: ['admin'],
    expiresAt: null,
    rateLimit: null,
    parentId: null,
  });
});

it('a refusal has the code of the API, with the filter of Nest', async () => {
  const refusals: unknown[] = [];
  const refused = async (client: Client, method: 'get' | 'post', path: string) => {
    const { body } = await send(client, method, path);
    refusals.push({ ...body, message: typeof body.message });
  };
  await refused(new Client(host.url), 'get', '/token');
  await refused(api.withValue('nonsense'), 'get', '/token');
  await refused(await clientOf(host, ['users:read']), 'post', '');
  await host.app.get(OrganizationsService).suspend(api.organizationId);
  await refused(api, 'get', '/token');
  for (let i = 0; i < 4; i++) await send(api, 'get', '/token').expect(403);
  await refused(api, 'get', '/token');
  expect(refusals).toEqual(
    [
      [401, 'unauthorized'],
      [401, 'unauthorized'],
      [403, 'insufficient_scope'],
      [403, 'organization_suspended'],
      [429, 'rate_limited'],
    ].map(([statusCode, code]) => ({ statusCode, code, message: 'string' })),
  );
});

it('a database that is unavailable has the code of the API, too', async () => {
  const error = Object.assign(new Error(), { code: 'ECONNREFUSED' });
  const guards = [{ canActivate: () => Promise.reject(error) }];
  const response = { setHeader: jest.fn() };
  const context = new ExecutionContextHost([{}, response], MembersController, () => {});
  const refused = new TokenGuard({ get: () => guards } as unknown as ModuleRef).canActivate(context);
  await expect(refused).rejects.toMatchObject({ response: { statusCode: 503, code: 'unavailable' } });
  expect(response.setHeader).toHaveBeenCalledWith('Retry-After', '2');
});

describe('the current user', () => {
  const asking = async () => {
    const { status, body } = await send(new Client(host.url), 'get', '/me');
    return status === 200 ? body.data : [status, body.code];
  };

  it('is the one that the application names, found once per request', async () => {
    const { organizationId } = api;
    const ada = { name: 'Ada', email: 'ada@example.com', externalId: 'E-4711' };
    const { id } = await host.app.get(UsersService).create(organizationId, ada);
    currentUser.mockReset().mockResolvedValue({ organizationId, externalId: 'E-4711' });
    expect(await asking()).toEqual({ name: 'Ada', isSame: true });
    expect(currentUser.mock.calls).toEqual([[expect.objectContaining({ url: '/backend/v1/members/me' })]]);

    await host.app.get(OrganizationsService).suspend(organizationId);
    expect(await asking()).toEqual([403, 'organization_suspended']);
    await host.app.get(OrganizationsService).resume(organizationId);
    await host.app.get(UsersService).update(organizationId, id, { active: false });
    expect(await asking()).toEqual([403, 'inactive_user']);
    await host.app.get(UsersService).delete(organizationId, id);
    expect(await asking()).toEqual([403, 'unknown_user']);
  });

  it('is nobody if the application says so, or fails', async () => {
    currentUser.mockReset().mockReturnValue(null);
    expect(await asking()).toEqual([401, 'unauthorized']);
    currentUser.mockReturnValue({ organizationId: 'org_x', externalId: 'E-4711' });
    expect(await asking()).toEqual([403, 'unknown_user']);
    currentUser.mockRejectedValue(new Error('no session store'));
    expect(await asking()).toEqual([500, undefined]);
  });

  it('is a fault of the application if it names a user without an id', async () => {
    const organizationId = api.organizationId;
    const wrong = [
      { organizationId },
      { organizationId, externalId: '' },
      { externalId: 'E-4711' },
      'E-4711',
    ];
    for (const person of wrong) {
      currentUser.mockReset().mockReturnValue(person as HostUser);
      expect(await asking()).toEqual([500, undefined]);
    }
  });
});

describeOn('postgres', 'the current user without the database', () => {
  it('is a 503', async () => {
    currentUser.mockReset().mockReturnValue({ organizationId: api.organizationId, externalId: 'E-4711' });
    await withoutDatabase(host.dataSource, async () => {
      const { body, headers } = await send(new Client(host.url), 'get', '/me').expect(503);
      expect(body).toMatchObject({ code: 'unavailable' });
      expect(headers).toMatchObject({ 'retry-after': '2' });
    });
  });
});
