import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import {
  getUserManagementToken,
  InjectUserManagement,
  OrganizationId,
  OrganizationsService,
  Scopes,
  TokensOf,
  TokensService,
  UserManagementModule,
  UsersService,
} from '../src';
import { Client } from './support/client';
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

@Module({ controllers: [PartnerReportsController], providers: [Partners], exports: [Partners] })
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
async function clientOf(name?: string) {
  const organizations = host.app.get<OrganizationsService>(
    getUserManagementToken(OrganizationsService, name),
  );
  const tokens = host.app.get<TokensService>(getUserManagementToken(TokensService, name));
  const { id: organizationId } = await organizations.create('Test');
  const { token, value } = await tokens.create(organizationId, { name: 'Test', scopes: ['admin'] });
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

it.each<[string, Options, Options]>([
  ['name, or none', { ...OWN }, { schema: 'partners', prefix: 'partners' }],
  ['name, or none', PARTNERS, { ...PARTNERS, schema: 'other', prefix: 'other' }],
  ['prefix', { schema: 'ums' }, { ...PARTNERS, prefix: '' }],
  ['schema', OWN, { ...PARTNERS, schema: 'ums' }],
])('two directories with the same %s are refused', async (shared, one, other) => {
  const start = startHost([UserManagementModule.forRoot(one), UserManagementModule.forRoot(other)]);
  await expect(start).rejects.toThrow(
    `Two UserManagementModules of this application have the same ${shared}. `,
  );
});
