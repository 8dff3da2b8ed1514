import fc from 'fast-check';
import { WindowByOrganization1763900000000 } from '../migrations/1763900000000-window-by-organization';
import { newId } from '../src/database/id';
import { fold, foldName, markWords, toSearchText } from '../src/users/search/search-text';
import type { Client } from './support/client';
import { startService, type TestService } from './support/service';

let service: TestService;
let api: Client;
beforeAll(async () => {
  service = await startService();
  api = await service.client();
});
afterAll(() => service.close());

const words = (text: string) => markWords(fold(text));
const find = async (q: string): Promise<string[]> => {
  const { body } = await api.get(`/api/v1/users/search?q=${encodeURIComponent(q)}`).expect(200);
  return body.data.map(({ name }: { name: string }) => name);
};

/** The columns that the former release writes for a field. */
const formerColumns = {
  name: (name: string) => ({ name, name_key: name.toLowerCase(), name_words: words(name) }),
  email: (email: string) => ({ email, email_key: email.toLowerCase(), email_words: words(email) }),
  metadata: (value: string) => ({ metadata: JSON.stringify({ value }), metadata_words: words(value) }),
};

async function formerCreate(name: string, email: string, metadata: string): Promise<string> {
  const id = newId('usr');
  const columns = {
    organization_id: api.organizationId,
    id,
    role: 'member',
    ...formerColumns.name(name),
    ...formerColumns.email(email),
    ...formerColumns.metadata(metadata),
  };
  await service.dataSource.query(
    `INSERT INTO users (${Object.keys(columns).join(', ')}) VALUES (${Object.keys(columns).map((_name, i) => `$${i + 1}`)})`,
    Object.values(columns),
  );
  return id;
}

async function formerUpdate(id: string, columns: Record<string, string>): Promise<void> {
  await service.dataSource.query(
    `UPDATE users SET ${Object.keys(columns)
      .map((column, i) => `${column} = $${i + 3}`)
      .join(', ')}, updated_at = now() WHERE organization_id = $1 AND id = $2`,
    [api.organizationId, id, ...Object.values(columns)],
  );
}

describe('while replicas of the former release run', () => {
  it('finds what they create and change, by every field', async () => {
    const id = await formerCreate('Zoé  Øster', 'zoé@former.example', 'Lapis Lazuli');
    for (const q of ['zoe os', 'øster', 'zoe@form', 'lapis', 'azuli'])
      expect([q, await find(q)]).toEqual([q, ['Zoé  Øster']]);

    await formerUpdate(id, formerColumns.name('Chloé Ångström'));
    await formerUpdate(id, formerColumns.metadata('Malachite'));
    for (const q of ['chloe ang', 'zoe@form', 'malachite'])
      expect([q, await find(q)]).toEqual([q, ['Chloé Ångström']]);
    for (const q of ['øster', 'lapis']) expect([q, await find(q)]).toEqual([q, []]);

    await formerUpdate(id, formerColumns.name('CHLOE ANGSTROM')); // the same words
    expect(await find('chloe ang')).toEqual(['CHLOE ANGSTROM']);
  });

  it('keeps what this release wrote of the fields that they do not change', async () => {
    const { id } = await api.createUser({
      name: 'Present Person',
      email: 'present@new.example',
      metadata: { stone: 'Turquoise' },
    });
    await formerUpdate(id, formerColumns.name('Renamed Person'));
    await formerUpdate(id, { role: 'admin' });
    for (const q of ['renamed', 'present@new', 'turquoise'])
      expect([q, await find(q)]).toEqual([q, ['Renamed Person']]);
    await formerUpdate(id, formerColumns.metadata('Obsidian'));
    for (const q of ['renamed', 'present@new', 'obsidian'])
      expect([q, await find(q)]).toEqual([q, ['Renamed Person']]);
    expect(await find('turquoise')).toEqual([]);
  });

  it('keeps a change of this release when they change another field afterwards', async () => {
    const id = await formerCreate('Oldname Person', 'old@former.example', 'Quartz');
    await api.patch(`/api/v1/users/${id}`, { name: 'Fresh Person' }).expect(200);
    await formerUpdate(id, formerColumns.metadata('Basalt'));
    for (const q of ['fresh', 'old@former', 'basalt'])
      expect([q, await find(q)]).toEqual([q, ['Fresh Person']]);
    for (const q of ['oldname', 'quartz']) expect([q, await find(q)]).toEqual([q, []]);
  });

  it('folds and encodes in SQL as in TypeScript', async () => {
    const character = fc.constantFrom(
      ...'azAZ059 .@-_\'"(/ßæøđþłı',
      ...'éÉåÅñçİŁΣςΩжЖйЙ李小龙김がク😀’–´½',
      'e\u0301',
      'i\u0307',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(character, { maxLength: 20 }), async (characters) => {
        const text = characters.join('');
        const [row] = await service.dataSource.query(
          'SELECT ums_encode($1) AS encoded, ums_fold($2) AS folded',
          [words(text), text.toLowerCase()],
        );
        expect(row).toEqual({ encoded: toSearchText(text), folded: foldName(text) });
      }),
      { numRuns: 300 },
    );
  });

  /** Counts a request of a token as the former release does, and returns how many its window has. */
  async function formerCount(tokenId: string): Promise<number> {
    const now = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
    const [{ hits }] = await service.dataSource.query(
      `INSERT INTO rate_limit_windows AS w (token_id, started_ms, hits)
       SELECT token_id, ${now}, hits FROM unnest($1::text[], $2::int[]) AS tick (token_id, hits) ORDER BY token_id
       ON CONFLICT (token_id) DO UPDATE SET
         hits       = CASE WHEN excluded.started_ms < w.started_ms + 60000 THEN w.hits + excluded.hits ELSE excluded.hits END,
         started_ms = CASE WHEN excluded.started_ms < w.started_ms + 60000 THEN w.started_ms ELSE excluded.started_ms END
       RETURNING token_id, hits, started_ms, ${now} AS now_ms`,
      [[tokenId], [1]],
    );
    return hits;
  }

  it('admits exactly 1000 requests of a token, whichever release counts them', async () => {
    const caller = await service.client();
    const admitted = async (n: number) => {
      if (n % 2) return (await formerCount(caller.tokenId)) <= 1000;
      return (await caller.get('/v1/tokens/current')).status === 200;
    };
    let count = 0;
    for (let n = 0; n < 1200; n += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => admitted(n + i)));
      count += answers.filter(Boolean).length;
    }
    expect(count).toBe(1000);
  });

  it('counts the first requests of a token at both releases at once', async () => {
    const callers = await Promise.all(Array.from({ length: 60 }, () => service.client()));
    for (const caller of callers) {
      const requests = [1, 2, 3].map(() => caller.get('/v1/tokens/current').expect(200));
      await Promise.all([...requests, ...[1, 2, 3].map(() => formerCount(caller.tokenId))]);
      expect(await formerCount(caller.tokenId)).toBe(7);
    }
  });

  it('goes on with the windows that they have begun before the migration', async () => {
    const caller = await service.client();
    const migration = new WindowByOrganization1763900000000();
    const runner = service.dataSource.createQueryRunner();
    try {
      await migration.down(runner);
      await runner.query(
        `INSERT INTO rate_limit_windows (token_id, started_ms, hits) VALUES ('tok_gone', 0, 1)`,
      );
      await runner.query(
        `INSERT INTO rate_limit_windows (token_id, started_ms, hits)
         VALUES ($1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, 600)`,
        [caller.tokenId],
      );
      await migration.up(runner);
    } finally {
      await runner.release();
    }
    const { headers } = await caller.get('/v1/tokens/current').expect(200);
    expect(headers['x-ratelimit-remaining']).toBe('399');
  });
});
