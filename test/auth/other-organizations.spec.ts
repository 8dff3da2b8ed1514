import { GroupsService } from '../../src/groups/groups.service';
import type { Client } from '../support/client';
import { kindOf, routes, served, UNKNOWN, useEveryRoute } from '../support/routes';

const service = useEveryRoute();

/** A resource of a client's organization, the path that shows it, and what that shows if nobody has changed it. */
async function resourceOf(client: Client, kind: keyof typeof UNKNOWN) {
  const user = await client.createUser();
  if (kind === 'usr') {
    return { id: user.id, ownPath: `/api/v1/users/${user.id}`, unchanged: { name: 'Ada Lovelace' } };
  }
  if (kind === 'deleted') {
    await client.delete(`/api/v1/users/${user.id}`).expect(204);
    return {
      id: user.id,
      ownPath: `/api/v1/deleted-users/${user.id}`,
      unchanged: { name: 'Ada Lovelace', version: 1 },
    };
  }
  if (kind === 'tok') {
    return { id: client.tokenId, ownPath: '/v1/tokens/current', unchanged: { state: 'active' } };
  }
  if (kind === 'grp') {
    const groups = service.app.get(GroupsService);
    const { id } = await groups.create(client.organizationId, { displayName: 'Sales' }, [user.id]);
    return { id, ownPath: `/api/v1/groups/${id}`, unchanged: { displayName: 'Sales', memberCount: 1 } };
  }
  if (kind === 'whk') {
    const url = 'https://example.com/hook';
    const { body } = await client
      .post('/api/v1/webhooks')
      .send({ url, types: ['*'] })
      .expect(201);
    return {
      id: body.id,
      ownPath: `/api/v1/webhooks/${body.id}`,
      unchanged: { url, updatedAt: body.updatedAt },
    };
  }
  const { body } = await client.get('/api/v1/events').expect(200);
  const { id } = body.data.at(-1);
  return { id, ownPath: `/api/v1/events/${id}`, unchanged: { target: { type: 'user', id: user.id } } };
}

/** A body that would change the resource. */
function bodyFor(method: string, path: string): object | undefined {
  if (method === 'put') return { userName: 'taken-over', displayName: 'Taken over' };
  if (path.endsWith('/redeliver')) return { eventId: UNKNOWN.evt };
  if (method !== 'patch') return undefined;
  if (path.includes('/scim/'))
    return { Operations: [{ op: 'replace', path: 'displayName', value: 'Taken over' }] };
  return path.includes('webhooks') ? { description: 'Taken over' } : { name: 'Taken over' };
}

describe('a resource of another organization', () => {
  it.each(routes.filter(({ path }) => path.includes(':id')))(
    'is indistinguishable from an unknown id: $method $path',
    async ({ method, path }) => {
      const [own, foreign] = [await service.client(), await service.client()];
      const { id, ownPath, unchanged } = await resourceOf(foreign, kindOf(path));
      const unknown = UNKNOWN[kindOf(path)];
      const body = bodyFor(method, path);
      const answer = async (candidate: string) => {
        const url = path.replace(':id', candidate);
        const { text, headers } = await own
          .send(served(method), url, body)
          .set('X-Request-ID', 'same')
          .expect(404);
        for (const name of ['date', 'x-ratelimit-remaining', 'x-ratelimit-reset']) delete headers[name];
        return { text, headers };
      };

      const expected = await answer(unknown);
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
      ]) {
        expect(await answer(candidate)).toEqual(expected);
      }
      // The resource is unchanged.
      expect((await foreign.get(ownPath).expect(200)).body).toMatchObject(unchanged);
    },
  );

  it('does not appear in a list', async () => {
    const [own, foreign] = [await service.client(), await service.client()];
    await foreign.createUser({ email: 'ada@example.com' });
    const deleted = await foreign.createUser({ email: 'ada-deleted@example.com' });
    await foreign.delete(`/api/v1/users/${deleted.id}`).expect(204);
    const ownUser = await own.createUser({ email: 'own@example.com' });

    expect((await own.get('/api/v1/users').expect(200)).body.data).toEqual([ownUser]);
    expect((await own.get('/api/v1/users?email=ada@example.com').expect(200)).body.data).toEqual([]);
    for (const filter of ['', '?email=ada-deleted@example.com'])
      expect((await own.get(`/api/v1/deleted-users${filter}`).expect(200)).body.data).toEqual([]);
    expect((await own.get('/v1/tokens').expect(200)).body.data).toMatchObject([{ id: own.tokenId }]);
    for (const order of ['asc', 'desc']) {
      const { body } = await own.get(`/api/v1/events?order=${order}`).expect(200);
      const targets = body.data.map(({ target }: { target: { id: string } }) => target.id);
      expect(targets.sort()).toEqual([own.tokenId, ownUser.id].sort());
    }
    for (const filter of [`target=${foreign.tokenId}`, `actor=${foreign.tokenId}`])
      expect((await own.get(`/api/v1/events?${filter}`).expect(200)).body.data).toEqual([]);
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
