import { readFileSync } from 'node:fs';
import {
  kindOf,
  resourceAt,
  RESOURCES,
  routes,
  served,
  UNKNOWN,
  useEveryRoute,
  withId,
} from '../support/routes';

const service = useEveryRoute();

/** A body that would change the resource. */
function bodyFor(method: string, path: string): object | undefined {
  if (method === 'put') return { userName: 'taken-over', displayName: 'Taken over' };
  if (path.endsWith('/redeliver')) return { eventId: UNKNOWN.evt };
  if (method !== 'patch') return undefined;
  if (path.includes('/scim/'))
    return { Operations: [{ op: 'replace', path: 'displayName', value: 'Taken over' }] };
  return path.includes('webhooks') ? { description: 'Taken over' } : { name: 'Taken over' };
}

/** The parameters of all lists of organizations. */
const LIST_PARAMETERS = Object.entries<{ get?: { parameters?: { in: string; name: string }[] } }>(
  JSON.parse(readFileSync('openapi.json', 'utf8')).paths,
)
  .filter(([path]) => routes.some((route) => route.method === 'get' && route.path === path))
  .flatMap(([path, { get }]) =>
    (get?.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => [path, name]),
  );

describe('a resource of another organization', () => {
  it('is indistinguishable from an unknown id, at every route', async () => {
    for (const { method, path } of routes.filter(({ path }) => path.includes(':id'))) {
      const [own, foreign] = [await service.client(), await service.client()];
      const { id, ownPath, unchanged } = await resourceAt(foreign, path);
      const unknown = UNKNOWN[kindOf(path)];
      const body = bodyFor(method, path);
      const answer = async (candidate: string) => {
        const request = own.send(served(method), withId(path, candidate), body).set('X-Request-ID', 'same');
        const { status, text, headers } = await request;
        for (const name of ['date', 'x-ratelimit-remaining', 'x-ratelimit-reset']) delete headers[name];
        return { method, path, status, text, headers };
      };

      const expected = { ...(await answer(unknown)), status: 404 };
      for (const candidate of [
        id,
        'usr_',
        'tok_',
        'nobody',
        'a'.repeat(500),
        '%00',
        "'",
        `${unknown}0`,
        unknown.toUpperCase(),
      ])
        expect(await answer(candidate)).toEqual(expected);
      expect((await foreign.get(ownPath).expect(200)).body).toMatchObject(unchanged);
    }
  });

  it('appears in no list, whatever its kind', async () => {
    const [own, foreign] = [await service.client(), await service.client()];
    const ids: string[] = [foreign.organizationId];
    for (const create of Object.values(RESOURCES)) ids.push((await create(foreign)).id);
    const mine = await own.createUser();
    const lists = routes.filter(({ method, path }) => method === 'get' && !path.includes(':'));
    const shown = async (path: string) => (await own.get(path).expect(200)).text;
    for (const { path } of lists) {
      // A search needs words; those of the foreign users find nothing here but the caller's own user.
      const text = await shown(path.endsWith('/search') ? `${path}?q=lovelace` : path);
      for (const id of ids) expect(`${path}: ${text}`).not.toContain(id);
    }
    expect(await shown('/api/v1/users')).toContain(mine.id);
    const [user, , , token] = ids.slice(1);
    for (const filter of [`target=${user}`, `target=${token}`, `actor=${token}`])
      expect((await own.get(`/api/v1/events?${filter}`).expect(200)).body.data).toEqual([]);
  });

  it('is found by no parameter of a list that takes its id', async () => {
    const [own, foreign] = [await service.client(), await service.client()];
    const ids = await Promise.all(Object.values(RESOURCES).map(async (create) => (await create(foreign)).id));
    const accepted = new Set<string>();
    for (const [path, name] of LIST_PARAMETERS)
      for (const id of ids) {
        const { status, body } = await own.get(`${path}?${name}=${id}`);
        if (status === 400) continue;
        expect([path, name, id, status, body.data]).toEqual([path, name, id, 200, []]);
        accepted.add(`${path} ${name}`);
      }
    expect([...accepted]).toEqual(expect.arrayContaining(['/api/v1/events target', '/api/v1/users group']));
  });

  it('cannot be selected by a caller', async () => {
    const [own, foreign] = [await service.client(), await service.client()];
    await own
      .post('/api/v1/users', { name: 'Ada', email: 'a@example.com', organizationId: foreign.organizationId })
      .expect(400);
    await own.get(`/api/v1/users?organizationId=${foreign.organizationId}`).expect(400);
    await own
      .get('/api/v1/users')
      .set('X-Organization-ID', foreign.organizationId)
      .expect(200, { data: [], nextCursor: null });
  });
});
