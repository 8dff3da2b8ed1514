/**
 * @slow it fills organizations with thousands of users
 */
import { Database } from '../../../src/database/database';
import { VocabularySweep } from '../../../src/users/search/vocabulary/vocabulary-sweep';
import type { Client } from '../../support/client';
import { startService, type TestService } from '../../support/service';

let service: TestService;
beforeAll(async () => (service = await startService()));
afterAll(() => service.close());

const wordsOf = async ({ organizationId }: Client): Promise<string[]> => {
  const rows: { word: string }[] = await service.dataSource.query(
    'SELECT word FROM search_words WHERE organization_id = $1 ORDER BY word',
    [organizationId],
  );
  return rows.map(({ word }) => word);
};
const sweep = () => service.app.get(VocabularySweep, { strict: false }).sweep();
const textsLeft = async ({ organizationId }: Client): Promise<number> => {
  const [{ count }] = await service.dataSource.query(
    'SELECT count(*)::int FROM replaced_texts WHERE organization_id = $1',
    [organizationId],
  );
  return count;
};

describe('the vocabulary of the search', () => {
  it('forgets the words of a deleted user that nobody else has', async () => {
    const api = await service.client();
    const user = await api.createUser({
      name: 'Wilhelmina Krog',
      email: 'wilhelmina@unusual.example',
      metadata: { pet: 'Axolotl', tags: ['Наталья', { deep: 'Βασιλική' }] },
    });
    await api.createUser({ name: 'Krogeria Wilhelm', email: 'other@second.example' });
    expect(await wordsOf(api)).toEqual(expect.arrayContaining(['axolotl', 'krog', 'wilhelmina', 'наталья']));
    await api.delete(`/api/v1/users/${user.id}`).expect(204);

    await sweep();

    expect(await wordsOf(api)).toEqual(['example', 'krogeria', 'other', 'second', 'wilhelm']);
    expect(await textsLeft(api)).toBe(0);
    expect((await api.get('/api/v1/users/search?q=axolotel').expect(200)).body.data).toEqual([]);
  });

  it('forgets the words that a change took away, and keeps those that it left', async () => {
    const api = await service.client();
    const user = await api.createUser({
      name: 'Josephine Former',
      email: 'jo@kept.example',
      metadata: { pet: 'Axolotl' },
    });
    await api.patch(`/api/v1/users/${user.id}`, { name: 'Josephine Latter' }).expect(200);
    await api.patch(`/api/v1/users/${user.id}`, { metadata: { pet: 'Badger' } }).expect(200);

    await sweep();

    expect(await wordsOf(api)).toEqual(['badger', 'example', 'josephine', 'kept', 'latter']);
    expect(await textsLeft(api)).toBe(0);
  });

  it('forgets a word that another user had behind the first 64', async () => {
    const api = await service.client();
    const words = Array.from(
      { length: 70 },
      (_, n) => `zz${String.fromCharCode(97 + (n % 26), 97 + n / 26)}`,
    );
    words[65] = 'zebulonia';
    const user = await api.createUser({ name: 'Zebulonia', email: 'a@first.example' });
    const other = await api.createUser({ email: 'b@first.example', metadata: { words: words.join(' ') } });
    expect(await wordsOf(api)).toContain('zebulonia');
    for (const { id } of [user, other]) {
      await api.delete(`/api/v1/users/${id}`).expect(204);
      await api.delete(`/api/v1/deleted-users/${id}`).expect(204);
      expect(await wordsOf(api)).not.toContain('zebulonia');
    }
  });

  it('keeps a word that somebody gets while it is removed', async () => {
    const api = await service.client();
    const { organizationId } = api;
    const user = await api.createUser({ name: 'Theodora', email: 'a@first.example' });
    await api.delete(`/api/v1/users/${user.id}`).expect(204);
    const database = service.app.get(Database);
    const execute = database.execute.bind(database);
    // Between the look for a user who has the word and its removal.
    jest.spyOn(database, 'execute').mockImplementationOnce(async (...removal) => {
      await api.createUser({ name: 'Theodora', email: 'b@first.example' });
      return execute(...removal);
    });

    await service.app.get(VocabularySweep, { strict: false }).settle(organizationId, ['theodora']);

    expect(await wordsOf(api)).toContain('theodora');
  });

  it('learns nothing from a request that is refused', async () => {
    const api = await service.client();
    await api.createUser({ name: 'First', email: 'taken@first.example' });
    await api.post('/api/v1/users', { name: 'Secretperson', email: 'taken@first.example' }).expect(409);
    await api.patch(`/api/v1/users/usr_${'0'.repeat(26)}`, { name: 'Ghostname' }).expect(404);
    expect(await wordsOf(api)).toEqual(['example', 'first', 'taken']);
  });

  it('is not looked through for a change of nothing that is searched', async () => {
    const api = await service.client();
    const user = await api.createUser({ metadata: { pet: 'Axolotl', visits: 1 } });
    await api
      .patch(`/api/v1/users/${user.id}`, { role: 'admin', metadata: { visits: 2, pet: 'Axolotl' } })
      .expect(200);
    expect(await textsLeft(api)).toBe(0);
  });
});
