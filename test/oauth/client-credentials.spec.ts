import { TokensService } from '../../src/tokens/tokens.service';
import { aUser } from '../support/client';
import { exchange } from '../support/oauth';
import { useService } from '../support/service';

const service = useService();

describe('POST /oauth/token with client_credentials', () => {
  it('exchanges the value of a token for a token of an hour', async () => {
    const api = await service.client({ scopes: ['users:read', 'users:write'] });
    const { status, body, headers } = await exchange(service.url, {
      grant_type: 'client_credentials',
      client_id: api.tokenId,
      client_secret: api.tokenValue,
    });
    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^umt_\w{38}$/),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'users:read users:write',
      },
    ]);
    expect(headers['cache-control']).toBe('no-store');
    const child = api.withValue(body.access_token);
    await child.post('/api/v1/users', aUser()).expect(201);
    const { body: record } = await child.get('/v1/tokens/current').expect(200);
    expect(record).toMatchObject({ parentId: api.tokenId, expiresIn: null, createdBy: null, name: 'Test' });
    await service.app.get(TokensService).revoke(api.organizationId, api.tokenId);
    await child.get('/v1/tokens/current').expect(401);
  });
});
