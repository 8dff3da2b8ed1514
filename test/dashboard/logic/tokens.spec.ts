import { type ClientOptions, createClient, type Token } from '../../../client/index';
import { type Listed, rowsOf as tokenRowsOf } from '../../../dashboard/tokens/list/rows';
import { isLastAdmin } from '../../../dashboard/tokens/token/last-admin';
import { CUSTOM, DAYS, type Life, livesWithin } from '../../../dashboard/tokens/token/lives';
import type { Client } from '../../support/client';
import { useService } from '../../support/service';

const service = useService();

const clientOf = (api: Client, options: Pick<ClientOptions, 'fetch' | 'retryBudgetMs'> = {}) =>
  createClient({ baseUrl: service.url, token: api.tokenValue, ...options });

describe('the rows of a list of tokens', () => {
  const aToken = (id: string, fields: Partial<Token> = {}) =>
    ({ id, parentId: null, rotatedFrom: null, state: 'active', ...fields }) as Token;
  const shown = (rows: Listed[]) => rows.map(({ id, below }) => (below ? `${id} below its ${below}` : id));
  const childrenOf = (parentId: string, count: number) =>
    Array.from({ length: count }, (_, n) => aToken(`${parentId}${n}`, { parentId }));

  it('have those that a token has issued below it, at the place of the token', () => {
    const rows = tokenRowsOf([...childrenOf('a', 1), aToken('b'), aToken('a')], [], new Set());
    expect(shown(rows)).toEqual(['b', 'a', 'a0 below its parent']);
  });

  it('have a token of another page at the place of the first that it has issued, if it could be fetched', () => {
    const page = [aToken('b'), ...childrenOf('a', 2), ...childrenOf('gone', 1)];
    const rows = tokenRowsOf(page, [aToken('a')], new Set());
    expect(shown(rows)).toEqual(['b', 'a', 'a0 below its parent', 'a1 below its parent', 'gone0']);
  });

  it('hide issued ones that are many, until they are asked for', () => {
    const page = [aToken('a', { rotatedFrom: 'old' }), aToken('old'), ...childrenOf('a', 4)];
    const folded = tokenRowsOf(page, [], new Set());
    expect(shown(folded)).toEqual(['a', 'old below its replacement']);
    expect(folded[0]).toMatchObject({ issued: 4, isOpen: false });
    expect(tokenRowsOf(page, [], new Set(['a']))).toHaveLength(6);
  });
});

describe('the lives that a new token may have', () => {
  const never: Life = ['never', 'Never', Infinity];
  const titles = (maxDays: number | null) =>
    livesWithin([...DAYS, CUSTOM, never], maxDays).map(([, title]) => title);

  it('are all there are, unless the operator has set a limit, which is then the longest', () => {
    expect(titles(null)).toEqual(['30 days', '90 days', '365 days', 'Custom …', 'Never']);
    expect(titles(90)).toEqual(['30 days', '90 days', 'Custom …']);
    expect(titles(60)).toEqual(['30 days', '60 days, the longest', 'Custom …']);
    expect(titles(1)).toEqual(['1 day, the longest', 'Custom …']);
    expect(titles(400)).toEqual(['30 days', '90 days', '365 days', '400 days, the longest', 'Custom …']);
  });
});

describe('an admin token', () => {
  it('is the last one if no other one is active for longer than the longest overlap of a rotation', async () => {
    const HOUR = 3_600_000;
    const inHours = (hours: number) => new Date(Date.now() + hours * HOUR);
    const rows: [string, boolean, ('admin' | 'users:read')[], object][] = [
      ['lacks the scope admin', true, ['users:read'], {}],
      ['is revoked', true, ['admin'], { revoked_at: inHours(-1) }],
      ['has expired', true, ['admin'], { expires_at: inHours(-1) }],
      ['expires within the overlap', true, ['admin'], { expires_at: inHours(167) }],
      ['expires later', false, ['admin'], { expires_at: inHours(169) }],
      ['never expires', false, ['admin'], {}],
    ];
    for (const [other, expected, scopes, columns] of rows) {
      const client = clientOf(await service.client());
      const { id } = await client.tokens.create({ name: 'Other', scopes });
      for (const [column, value] of Object.entries(columns))
        await service.dataSource.query(`UPDATE tokens SET ${column} = $2 WHERE id = $1`, [id, value]);
      const isLast = await isLastAdmin(client, await client.tokens.current());
      expect([other, isLast]).toEqual([other, expected]);
    }
  });

  it('is none without the scope admin', async () => {
    const client = clientOf(await service.client());
    const token = await client.tokens.create({ name: 'CI', scopes: ['users:read'] });
    expect(await isLastAdmin(client, token)).toBe(false);
  });
});
