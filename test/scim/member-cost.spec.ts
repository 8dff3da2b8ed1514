import { GroupsService } from '../../src/groups/groups.service';
import { type ScimClient, useScim } from '../support/scim';

const { service, scim } = useScim();

const LIMIT = 10;

/** A directory whose token has a small limit, of which this has used nothing. */
async function limited(rateLimit = LIMIT): Promise<ScimClient> {
  const { body } = await scim.api
    .post('/v1/tokens')
    .send({ name: 'Directory', scopes: ['users:read', 'users:write', 'users:delete'], rateLimit })
    .expect(201);
  const send = (method: 'get' | 'post' | 'put' | 'patch' | 'delete') => (path: string, given?: object) => {
    const test = scim[method](path, given);
    return test.set('Authorization', `Bearer ${body.token}`);
  };
  return {
    api: scim.api,
    get: send('get'),
    post: send('post'),
    put: send('put'),
    patch: send('patch'),
    delete: send('delete'),
  };
}

/** The ids of so many new users. */
async function newUsers(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, i) => `usr_${String(i).padStart(26, '0')}`);
  await service().dataSource.query(
    `INSERT INTO users (organization_id, id, name, name_key, email, email_key, role, metadata)
     SELECT $1, id, id, id, id, id, 'member', '{}' FROM unnest($2::text[]) AS new (id)`,
    [scim.api.organizationId, ids],
  );
  return ids;
}

/** A group with so many members. They are no users, which makes no difference to their removal. */
async function newGroup(count: number): Promise<string> {
  const { organizationId } = scim.api;
  const { id } = await service()
    .app.get(GroupsService)
    .create(organizationId, { displayName: `Of ${count}` });
  await service().dataSource.query(
    `INSERT INTO group_members (organization_id, group_id, user_id)
     SELECT $1, $2, 'usr_' || lpad(n::text, 26, '0') FROM generate_series(1, $3::integer) AS n`,
    [organizationId, id, count],
  );
  return id;
}

const operation = (op: 'add' | 'remove', value?: unknown) => ({
  Operations: [{ op, path: 'members', ...(value !== undefined && { value }) }],
});

describe('a change of many members', () => {
  it('counts as one request for each started hundred of members that it adds or removes', async () => {
    const directory = await limited();
    const users = await newUsers(201);
    const remaining = async (test: ReturnType<ScimClient['get']>) =>
      Number(
        (await test.expect((answer) => expect(answer.status).toBeLessThan(300))).headers[
          'x-ratelimit-remaining'
        ],
      );
    const created = directory.post('/Groups', { displayName: 'A', members: users.slice(0, 101) });
    expect(await remaining(created)).toBe(8);
    const [{ id }] = (await scim.get('/Groups').expect(200)).body.Resources;
    const path = `/Groups/${id}?excludedAttributes=members`;
    expect(await remaining(directory.patch(path, operation('add', users.slice(0, 101))))).toBe(7);
    expect(await remaining(directory.patch(path, operation('add', users.slice(101))))).toBe(6);
    expect(await remaining(directory.put(path, { displayName: 'A', members: [] }))).toBe(3);
    expect(await remaining(directory.get(path))).toBe(2);
  });

  it('succeeds whatever is left of the window, and at the expense of the requests that follow', async () => {
    const directory = await limited();
    const id = await newGroup(100 * LIMIT + 1);
    for (let left = LIMIT - 1; left > 0; left--)
      expect((await directory.get('/Groups?count=0').expect(200)).headers['x-ratelimit-remaining']).toBe(
        String(left),
      );
    const { headers } = await directory.patch(`/Groups/${id}`, operation('remove')).expect(204);
    expect(headers['x-ratelimit-remaining']).toBe('0');
    expect((await scim.get(`/Groups/${id}`).expect(200)).body.members ?? []).toEqual([]);
    await directory.get('/Groups?count=0').retry(0).expect(429);

    const fresh = await limited();
    const other = await newGroup(100 * LIMIT + 2);
    await fresh.patch(`/Groups/${other}`, operation('remove')).expect(204);
    const refused = await fresh.get('/Groups?count=0').retry(0).expect(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('counts once if it is refused, and so does the deletion of a large group', async () => {
    const directory = await limited();
    const users = await newUsers(101);
    await directory
      .post('/Groups', { displayName: 'B', members: [...users, `usr_${'7'.repeat(26)}`] })
      .expect(400);
    const id = await newGroup(500);
    const { headers } = await directory.delete(`/Groups/${id}`).expect(204);
    expect(headers['x-ratelimit-remaining']).toBe(String(LIMIT - 2));
  });
});
