import { All, Controller, Get, Injectable, Logger, Module, Next } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { SkipThrottle } from '@nestjs/throttler';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import {
  AnyToken,
  getUserManagementToken,
  InjectUserManagement,
  OrganizationId,
  OrganizationsService,
  Scopes,
  TokenGuard,
  TokensOf,
  TokensService,
  UserManagementModule,
  UsersService,
} from '../src';
import { DATABASE } from '../src/database/data-source';
import { Client } from './support/client';
import { describeOnServer } from './support/database';
import { type Host, startHost } from './support/host';

type Options = Parameters<typeof UserManagementModule.forRoot>[0];

const PARTNERS = { name: 'partners', schema: 'partners', prefix: 'partners' };
const OWN = { schema: 'ums', prefix: 'internal' };

@Injectable()
class Partners {
  constructor(@InjectUserManagement(UsersService, 'partners') readonly users: UsersService) {}
}

@Controller('reports')
@SkipThrottle()
class PartnerReportsController {
  constructor(@InjectUserManagement(UsersService, 'partners') private readonly users: UsersService) {}

  @Get('partners')
  @Scopes('users:read')
  @TokensOf('partners')
  async names(@OrganizationId() organizationId: string) {
    return (await this.users.list(organizationId)).data.map(({ name }) => name);
  }
}

/** Its first route passes requests on to the others. */
@Controller('audited')
@SkipThrottle()
class AuditedController {
  @All('*path')
  @AnyToken()
  audit(@Next() next: () => void) {
    next();
  }

  @Get('secret')
  @Scopes('admin')
  secret() {
    return 'secret';
  }

  @Get('partners')
  @AnyToken()
  @TokensOf('partners')
  partners() {
    return 'partners';
  }

  @Get('nobody')
  @AnyToken()
  @TokensOf('nobody')
  nobody() {
    return 'nobody';
  }
}

@Module({
  controllers: [PartnerReportsController, AuditedController],
  providers: [Partners],
  exports: [Partners],
})
class PartnersModule {}

let host: Host;
beforeAll(async () => {
  host = await startHost([
    UserManagementModule.forRoot(OWN),
    UserManagementModule.forRootAsync({
      name: 'partners',
      useFactory: () => ({ schema: 'partners', prefix: 'partners' }),
    }),
    { module: PartnersModule },
  ]);
});
afterAll(() => host.close());

/** A client with a token of the directory with this name. */
async function clientOf(name?: string, scopes: ('admin' | 'users:read')[] = ['admin']) {
  const organizations = host.app.get<OrganizationsService>(
    getUserManagementToken(OrganizationsService, name),
  );
  const tokens = host.app.get<TokensService>(getUserManagementToken(TokensService, name));
  const { id: organizationId } = await organizations.create('Test');
  const { token, value } = await tokens.create(organizationId, { name: 'Test', scopes });
  return new Client(host.url, { organizationId, tokenId: token.id, value });
}

describe('two directories in one application', () => {
  it('have data and tokens of their own', async () => {
    const [own, partner] = [await clientOf(), await clientOf('partners')];
    const user = { name: 'Ada', email: 'ada@example.com' };

    await own.post('/backend/internal/api/v1/users', user).expect(201);
    await own.get('/backend/partners/api/v1/users').expect(401);
    await partner.get('/backend/internal/api/v1/users').expect(401);
    const { body } = await partner.get('/backend/partners/api/v1/users').expect(200);

    expect(body.data).toEqual([]);
    const [counts] = await host.dataSource.query(
      `SELECT (SELECT count(*)::int FROM ums.users) AS own, (SELECT count(*)::int FROM partners.users) AS partners`,
    );
    expect(counts).toEqual({ own: 1, partners: 0 });
  });

  it('have services of their own, which are injected by name', async () => {
    const { organizationId } = await clientOf('partners');
    await host.app.get(Partners).users.create(organizationId, { name: 'Eve', email: 'eve@example.com' });
    expect((await host.app.get(UsersService).list(organizationId)).data).toEqual([]);
    expect((await host.app.get(Partners).users.list(organizationId)).data).toMatchObject([{ name: 'Eve' }]);
  });

  it('open the routes that name them', async () => {
    const [own, partner] = [await clientOf(), await clientOf('partners')];
    await own.get('/backend/v1/reports/partners').set('X-Host', 'me').expect(401);
    const { body } = await partner.get('/backend/v1/reports/partners').set('X-Host', 'me').expect(200);
    expect(body).toEqual({ data: [] });
  });
});

describe('a request that one route passes on to another', () => {
  it('is judged by the other, too', async () => {
    const reader = await clientOf(undefined, ['users:read']);
    const get = (path: string) => reader.get(`/backend/v1/audited/${path}`).set('X-Host', 'me');
    await get('secret').expect(403);
    await get('partners').expect(401);
    await get('nothing').expect(404);
  });
});

it('a route that names a directory which is not there answers nobody, and says why', async () => {
  const guard = new TokenGuard(host.app.get(ModuleRef));
  const { nobody } = AuditedController.prototype;
  const context = new ExecutionContextHost([{}, {}], AuditedController, nobody);
  await expect(guard.canActivate(context)).rejects.toThrow(
    'This application has no UserManagementModule with the name "nobody"',
  );
});

it('two directories are no reason for a warning', async () => {
  const warn = jest.spyOn(Logger.prototype, 'warn');
  const other = await startHost([UserManagementModule.forRoot(OWN), UserManagementModule.forRoot(PARTNERS)]);
  await other.close();
  // The tests start several hosts in one process, of which TypeOrmModule warns, too.
  expect(warn.mock.calls.filter(([message]) => String(message).includes(DATABASE))).toEqual([]);
  warn.mockRestore();
});

describeOnServer('two directories by two data sources of one database', () => {
  it('are refused if their schema is the same', async () => {
    const second = TypeOrmModule.forRootAsync({
      name: 'second',
      inject: [getDataSourceToken()],
      useFactory: ({ options }: DataSource) => ({ ...options, name: 'second', entities: [] }),
    });
    const start = startHost([
      second,
      UserManagementModule.forRoot(OWN),
      UserManagementModule.forRoot({ ...PARTNERS, schema: OWN.schema, dataSource: 'second' }),
    ]);
    await expect(start).rejects.toThrow('have the same schema');
  });
});

it.each<[string, Options, Options]>([
  ['name, or none', { ...OWN }, { schema: 'partners', prefix: 'partners' }],
  ['name, or none', PARTNERS, { ...PARTNERS, schema: 'other', prefix: 'other' }],
  ['prefix', { schema: 'ums' }, { ...PARTNERS, prefix: '' }],
  ['prefix', OWN, { ...PARTNERS, prefix: 'INTERNAL' }],
  ['schema', OWN, { ...PARTNERS, schema: 'ums' }],
])('two directories with the same %s are refused', async (shared, one, other) => {
  const start = startHost([UserManagementModule.forRoot(one), UserManagementModule.forRoot(other)]);
  await expect(start).rejects.toThrow(
    `Two UserManagementModules of this application have the same ${shared}. `,
  );
});
