/**
 * @only embedded postgres: it reads the plans of plain tables
 */
import { newId } from '../../src/platform/database/id';
import { TokensService } from '../../src/tokens/tokens.service';
import type { Client } from '../support/client';
import { rowsReadBy, selectsOf } from '../support/plans';
import { useService } from '../support/service';

const CHILDREN = 20_000;
const LIVING = 500;

const service = useService();
let parent: Client;
beforeAll(async () => {
  parent = await service.client();
  await service.dataSource.query('ALTER TABLE tokens SET (autovacuum_enabled = false)');
});

/** Tokens of exchanges, made in the order of their ids; the last of them still live. */
const addChildren = () =>
  service.dataSource.query(
    `INSERT INTO tokens (id, organization_id, name, hash, hint, scopes, parent_id, window_id, warned_days, created_at, expires_at)
     SELECT 'tok_' || lpad(n::text, 26, '0'), $1, 'Test', decode(md5(n::text), 'hex'), 'umt_', '{admin}', $2, $2, 0,
       now() + (n - $3) * interval '1 second', now() + (n - $3 + $4) * interval '1 second'
     FROM generate_series(1, $3::integer) AS n`,
    [parent.organizationId, parent.tokenId, CHILDREN, LIVING],
  );

const rowsOf = async (run: (tokens: TokensService, organizationId: string) => Promise<unknown>) => {
  const { app, dataSource } = service;
  const select = () => run(app.get(TokensService), parent.organizationId);
  return rowsReadBy(dataSource, await selectsOf(dataSource, select));
};

const STATISTICS: Record<string, () => Promise<unknown>> = {
  'of before the exchanges': async () => {
    await service.dataSource.query('ANALYZE tokens');
    await addChildren();
  },
  'of now': () => service.dataSource.query('ANALYZE tokens'),
};

describe.each(Object.keys(STATISTICS))(
  'with statistics %s, among 20,000 tokens of exchanges',
  (statistics) => {
    beforeAll(STATISTICS[statistics]);

    it('a page of the standing tokens reads these alone', async () => {
      expect(await rowsOf((tokens, id) => tokens.list(id, { session: false }))).toBeLessThan(5);
    });

    it('a page of the children of a token reads no more than it shows', async () => {
      const { tokenId } = parent;
      expect(await rowsOf((tokens, id) => tokens.list(id, { parent: tokenId, limit: 20 }))).toBeLessThan(25);
      const living = { parent: tokenId, limit: 20, state: 'active' } as const;
      expect(await rowsOf((tokens, id) => tokens.list(id, living))).toBeLessThan(LIVING + 10);
      expect(await rowsOf((tokens, id) => tokens.list(id, { parent: newId('tok') }))).toBe(0);
    });

    it('an exchange counts only the children that live', async () => {
      expect(await rowsOf((tokens, id) => tokens.exchange(id, parent.tokenId))).toBeLessThan(LIVING + 10);
    });
  },
);
