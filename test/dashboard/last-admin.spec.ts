/**
 * @only embedded: the requests of the dashboard are those of the API
 */
import { createClient } from '../../client/index';
import { isLastAdmin } from '../../dashboard/tokens/token/last-admin';
import { startService, type TestService } from '../support/service';

let service: TestService;
beforeAll(async () => (service = await startService()));
afterAll(() => service.close());

const HOURS = 3_600_000;

/** Whether an admin token is the last one, beside another token of which these columns are changed. */
async function isLastBeside(scopes: ('admin' | 'users:read')[], columns: object = {}): Promise<boolean> {
  const api = await service.client();
  const client = createClient({ baseUrl: service.url, token: api.tokenValue });
  const { id } = await client.tokens.create({ name: 'Other', scopes });
  for (const [column, value] of Object.entries(columns))
    await service.dataSource.query(`UPDATE tokens SET ${column} = $2 WHERE id = $1`, [id, value]);
  return isLastAdmin(client, await client.tokens.current());
}

describe('an admin token is the last one', () => {
  const inHours = (hours: number) => new Date(Date.now() + hours * HOURS);

  it.each([
    ['lacks the scope admin', true, ['users:read'], () => ({})],
    ['is revoked', true, ['admin'], () => ({ revoked_at: inHours(-1) })],
    ['has expired', true, ['admin'], () => ({ expires_at: inHours(-1) })],
    [
      'expires within the longest overlap of a rotation',
      true,
      ['admin'],
      () => ({ expires_at: inHours(167) }),
    ],
    ['expires later', false, ['admin'], () => ({ expires_at: inHours(169) })],
    ['never expires', false, ['admin'], () => ({})],
  ] as const)('if the other one %s: %s', async (_other, expected, scopes, columns) => {
    expect(await isLastBeside([...scopes], columns())).toBe(expected);
  });

  it('unless it has no scope admin', async () => {
    const api = await service.client();
    const client = createClient({ baseUrl: service.url, token: api.tokenValue });
    const token = await client.tokens.create({ name: 'CI', scopes: ['users:read'] });
    expect(await isLastAdmin(client, token)).toBe(false);
  });
});
