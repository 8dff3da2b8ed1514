import { version } from '../../package.json';
import { OrganizationsService, TokensService } from '../../src';
import { useApi, useService } from '../support/service';
import { statementsOf } from '../support/statements';
import { WEBHOOK_ENV } from '../support/webhooks';

const { service, api } = useApi({ RATE_LIMIT_PER_MINUTE: '2000' });

const DEFAULT_SETTINGS = {
  version,
  publicUrl: null,
  rateLimitPerMinute: 2000,
  tokenMaxDays: null,
  requireIfMatch: false,
  eventRetentionDays: 365,
  deletedUsersRetentionDays: 30,
};

describe('GET /api/v1/settings', () => {
  it('has the defaults where nothing is set, and asks the database for nothing but the token', async () => {
    await api.get('/v1/tokens/current').expect(200);
    const statements = await statementsOf(service.dataSource, async () => {
      expect((await api.get('/api/v1/settings').expect(200)).body).toMatchObject(DEFAULT_SETTINGS);
    });
    expect(statements.filter(({ sql }) => !/tokens|rate_limit/.test(sql))).toEqual([]);
  });

  it('is for admins', async () => {
    const reader = await service.client({ scopes: ['users:read', 'users:write', 'users:delete'] });
    await reader.get('/api/v1/settings').expect(403);
  });

  it('takes no parameter', () => api.get('/api/v1/settings?organization=other').expect(400));
});

describe('with settings of the operator', () => {
  const SECRET = 'x'.repeat(40);
  const service = useService({
    ...WEBHOOK_ENV,
    PUBLIC_URL: 'https://users.example.com/',
    RATE_LIMIT_PER_MINUTE: '50',
    TOKEN_MAX_DAYS: '90',
    REQUIRE_IF_MATCH: 'true',
    EVENT_RETENTION_DAYS: '30',
    DELETED_USERS_RETENTION_DAYS: '0',
    OPERATOR_TOKEN: SECRET,
    CORS_ORIGINS: 'https://app.example.com',
  });

  it('shows an organization what concerns it, and nothing else', async () => {
    const { id } = await service.app.get(OrganizationsService).create('Acme');
    const admin = { name: 'Admin', scopes: ['admin' as const], expiresIn: '90d' };
    const { value } = await service.app.get(TokensService).create(id, admin);
    const { body } = await service.anonymous().withValue(value).get('/api/v1/settings').expect(200);
    expect(body).toEqual({
      version,
      publicUrl: 'https://users.example.com',
      rateLimitPerMinute: 50,
      tokenMaxDays: 90,
      requireIfMatch: true,
      eventRetentionDays: 30,
      deletedUsersRetentionDays: 0,
      webhooks: true,
    });
  });
});
