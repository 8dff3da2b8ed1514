import { VocabularySweep } from '../src/users/search/vocabulary-sweep';
import type { Client } from './support/client';
import { startService, type TestService } from './support/service';

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
/** Removes words, and looks again. */
const sweep = async () => {
  for (let pass = 0; pass < 2; pass++)
    await service.app.get(VocabularySweep, { strict: false }).sweep('0 seconds');
};
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

  it('gets a word back that somebody was given while it was removed', async () => {
    const api = await service.client();
    const user = await api.createUser({ name: 'Theodora', email: 'a@first.example' });
    await api.delete(`/api/v1/users/${user.id}`).expect(204);
    const sweeper = service.app.get(VocabularySweep, { strict: false });
    await sweeper.sweep('1 hour'); // removes the words, and will look again
    expect(await wordsOf(api)).not.toContain('theodora');
    // The service still believes that it has stored the word.
    await api.createUser({ name: 'Theodora', email: 'b@second.example' });
    expect(await wordsOf(api)).not.toContain('theodora');

    await sweep();

    expect(await wordsOf(api)).toContain('theodora');
    expect(await textsLeft(api)).toBe(0);
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
