import { UsersService } from '../../src/users/users.service';
import { aUser, type UserBody } from '../support/client';
import { pathOf } from '../support/deleted-users';
import { describeOn, itNotOn } from '../support/engine';
import { patiently } from '../support/patiently';
import { start, stop } from '../support/process';
import { startService, useApi } from '../support/service';

const { service, api } = useApi({ RATE_LIMIT_PER_MINUTE: '100000' });

const isPresent = (user: { id: string }) => api.get(pathOf(user)).then(({ status }) => status === 200);

describe('the version of a user', () => {
  it('is 1 at first and one more with every change, in lists and searches, too', async () => {
    const user = await api.createUser({ name: 'Versioned Ada' });
    expect(user.version).toBe(1);
    for (const [role, version] of [
      ['admin', 2],
      ['viewer', 3],
    ]) {
      const { body, headers } = await api.patch(pathOf(user), { role }).expect(200);
      expect([body.version, headers.etag]).toEqual([version, `"${version}"`]);
    }
    const list = await api.get(`/api/v1/users?email=${encodeURIComponent(user.email)}`).expect(200);
    const search = await api.get('/api/v1/users/search?q=versioned').expect(200);
    expect([list.body.data[0].version, search.body.data[0].version]).toEqual([3, 3]);
  });

  it('cannot be set', async () => {
    const user = await api.createUser();
    const { body } = await api.patch(pathOf(user), { version: 7 }).expect(400);
    expect(body.errors).toMatchObject([{ field: 'version', code: 'immutable' }]);
    await api.post('/api/v1/users', { name: 'Ada', email: 'v@example.com', version: 1 }).expect(400);
  });

  it('stays, and so does updatedAt, when a write changes nothing', async () => {
    const metadata = { a: { b: 0, c: [1, { d: null }] }, e: 'ß' };
    const user = await api.createUser({ name: 'Ada', role: 'viewer', metadata });
    const same = { ...user, id: undefined, version: undefined, createdAt: undefined, updatedAt: undefined };
    const reordered = { metadata: { e: 'ß', a: { c: [1, { d: null }], b: 0 } } };
    for (const changes of [{}, same, reordered, { name: ' Ada ' }, { role: 'viewer' }]) {
      const { body, headers } = await api.patch(pathOf(user), changes).expect(200);
      expect([body, headers.etag]).toEqual([user, '"1"']);
    }
    // JSON has neither -0 nor undefined.
    const { organizationId } = api;
    const negative = { a: { b: -0, c: [1, { d: null }], x: undefined }, e: 'ß' };
    const record = await service.app
      .get(UsersService, { strict: false })
      .update(organizationId, user.id, { metadata: negative });
    expect(record.version).toBe(1);
  });
});

describe('ETag and If-None-Match', () => {
  it('spare a caller a user that it has', async () => {
    const { body: user, headers: created } = await api.post('/api/v1/users', aUser()).expect(201);
    const { headers } = await api.get(pathOf(user)).expect(200);
    expect([created.etag, headers.etag]).toEqual(['"1"', '"1"']);
    for (const tags of ['"1"', 'W/"1"', '*', '"x", "1"', ' ,"0",, "1",']) {
      for (const method of ['get', 'head'] as const) {
        const response = await api.send(method, pathOf(user)).set('If-None-Match', tags).expect(304);
        expect(response.text ?? '').toBe('');
        expect(response.headers).toMatchObject({ etag: '"1"', 'cache-control': 'no-store' });
        expect(response.headers['x-request-id']).toBeDefined();
      }
    }
    await api.get(pathOf(user)).set('If-None-Match', '"2", "01"').expect(200, user);
  });

  it('mean nothing for a list or a search', async () => {
    await api.createUser({ name: 'Listed Ada' });
    for (const list of ['/api/v1/users', '/api/v1/users/search?q=listed', '/api/v1/events', '/v1/tokens']) {
      const { body } = await api.get(list).set('If-None-Match', '*').expect(200);
      expect(body.data.length).toBeGreaterThan(0);
    }
  });
});

describe('If-Match', () => {
  it('lets a write happen only to the version that the caller knows', async () => {
    const user = await api.createUser();
    await api.patch(pathOf(user), { role: 'admin' }).set('If-Match', '"1"').expect(200);
    const { body } = await api.patch(pathOf(user), { role: 'viewer' }).set('If-Match', '"1"').expect(412);
    expect(body).toMatchObject({ code: 'precondition_failed', detail: 'The user has another version.' });
    // Also when it would have changed nothing.
    await api.patch(pathOf(user), { role: 'admin' }).set('If-Match', '"1"').expect(412);
    await api.patch(pathOf(user), {}).set('If-Match', '"1"').expect(412);
    await api.delete(pathOf(user)).set('If-Match', '"1"').expect(412);
    expect(await isPresent(user)).toBe(true);
    for (const tags of ['"2"', 'W/"3"', '*', '"9", "5"'])
      await api
        .patch(pathOf(user), { name: `Name ${tags}` })
        .set('If-Match', tags)
        .expect(200);
    await api.delete(pathOf(user)).set('If-Match', '"6"').expect(204);
    expect(await isPresent(user)).toBe(false);
  });

  it('has a counterpart, If-None-Match', async () => {
    const user = await api.createUser();
    for (const tags of ['"1"', '*']) {
      await api.patch(pathOf(user), { role: 'admin' }).set('If-None-Match', tags).expect(412);
      await api.delete(pathOf(user)).set('If-None-Match', tags).expect(412);
    }
    await api.patch(pathOf(user), { role: 'admin' }).set('If-None-Match', '"7"').expect(200);
  });

  it('is refused if it is malformed', async () => {
    const user = await api.createUser();
    const malformed = ['', ' ', ',', '7', '"7', '7"', 'w/"7"', '"7" "8"', '"a b"', '*, "7"', '"7";'];
    for (const tags of [...malformed, 'x'.repeat(2_000)]) {
      for (const name of ['If-Match', 'If-None-Match']) {
        const { body } = await api.patch(pathOf(user), { role: 'admin' }).set(name, tags).expect(400);
        expect({ tags, ...body }).toMatchObject({ tags, errors: [{ field: name }] });
        await api.delete(pathOf(user)).set(name, tags).expect(400);
      }
      await api.get(pathOf(user)).set('If-None-Match', tags).expect(400);
      await api.get(pathOf(user)).set('If-Match', tags).expect(200);
    }
  });

  it('is judged after the user is found', async () => {
    const unused = { id: 'usr_00000000000000000000000000' };
    await api.patch(pathOf(unused), { role: 'admin' }).set('If-Match', '"1"').expect(404);
    await api.delete(pathOf(unused)).set('If-Match', '"1"').expect(404);
    await api.patch(pathOf(unused), { role: 'x' }).set('If-Match', '"1"').expect(400);
  });

  it('is required if the service is so configured', async () => {
    const strict = await startService({ REQUIRE_IF_MATCH: 'true' });
    const careful = await strict.client();
    const user = await careful.createUser();
    const { body } = await careful.patch(pathOf(user), { role: 'admin' }).expect(428);
    expect(body.code).toBe('precondition_required');
    await careful.delete(pathOf(user)).expect(428);
    await careful.delete(pathOf({ id: 'usr_00000000000000000000000000' })).expect(404);
    await careful.patch(pathOf(user), { role: 'admin' }).set('If-Match', '"1"').expect(200);
    await careful.delete(pathOf(user)).set('If-Match', '*').expect(204);
    await strict.close();
  });

  it('lets one of 200 racers win', async () => {
    const user = await api.createUser();
    const statuses = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        api
          .patch(pathOf(user), { name: `Racer ${n}` })
          .set('If-Match', '"1"')
          .then(({ status }) => status),
      ),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412)).toHaveLength(199);
    expect((await api.get(pathOf(user))).body.version).toBe(2);
  });
});

it('concurrent changes of one user are a 404 once the user is deleted, and never bring it back', async () => {
  const user = await api.createUser();
  const changes = (name: string) =>
    Array.from({ length: 10 }, (_, n) => api.patch(pathOf(user), { name: `${name} ${n}` }));
  const responses = await Promise.all([...changes('Name'), api.delete(pathOf(user)), ...changes('Later')]);
  for (const { status } of responses) expect([200, 204, 404]).toContain(status);
  expect(await isPresent(user)).toBe(false);
});

describeOn('postgres', 'two replicas', () => {
  it('answer 200 concurrent changes of one user, of which none is lost, and 100 creates with one email, of which one is a 201', async () => {
    const { DATABASE_URL } = service.env;
    const env = { DATABASE_URL, RATE_LIMIT_PER_MINUTE: '100000' };
    const replicas = await Promise.all([start(env), start(env)]);
    const headers = { Authorization: `Bearer ${api.tokenValue}`, 'Content-Type': 'application/json' };
    try {
      const user = await api.createUser();
      const others = [{ role: 'admin' }, { email: 'kept@example.com' }, { metadata: { kept: true } }];
      const change = async (n: number) => {
        const response = await patiently(() =>
          fetch(`${replicas[n % 2].url}${pathOf(user)}`, {
            method: 'PATCH',
            body: JSON.stringify(others[n] ?? { name: `Name ${n}` }),
            headers,
          }),
        );
        return { status: response.status, body: (await response.json()) as UserBody };
      };
      const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => change(n)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      const versions = answers.map(({ body }) => body.version).sort((a, b) => a - b);
      expect(versions).toEqual(Array.from({ length: 200 }, (_, n) => n + 2));
      const { body } = await api.get(pathOf(user)).expect(200);
      expect(body).toMatchObject(Object.assign({}, ...others));

      const create = async (n: number) => {
        const email = n % 4 > 1 ? 'RACE@Example.com' : 'race@example.com';
        const body = JSON.stringify(aUser({ email }));
        const url = `${replicas[n % 2].url}/api/v1/users`;
        return (await patiently(() => fetch(url, { method: 'POST', body, headers }))).status;
      };
      const statuses = await Promise.all(Array.from({ length: 100 }, (_, n) => create(n)));
      expect(statuses.sort()).toEqual([201, ...Array<number>(99).fill(409)]);
    } finally {
      await Promise.all(replicas.map(stop));
    }
  });
});

describe('writes of different users at once', () => {
  it('give an email, in whatever letter case, to one of those who are created', async () => {
    const other = await service.client();
    await other.createUser({ email: 'there@example.com' });
    const create = (email: string) => other.post('/api/v1/users', aUser({ email }));
    const emails = ['There@Example.com', 'free@example.com', 'twice@example.com', 'TWICE@example.com'];
    const [there, free, ...twice] = (await Promise.all(emails.map(create))).map(({ status }) => status);
    expect([there, free, twice.sort()]).toEqual([409, 201, [201, 409]]);
    const { body } = await other.get('/api/v1/users?sort=email').expect(200);
    expect(body.data.map((user: UserBody) => user.email.toLowerCase())).toEqual([
      'free@example.com',
      'there@example.com',
      'twice@example.com',
    ]);
  });

  describeOn('postgres', 'while another transaction has locked a user,', () => {
    it('a change and a deletion wait for it, and those of others do not', async () => {
      const users = service.app.get(UsersService);
      const { organizationId } = api;
      const change = ({ id }: UserBody) => users.update(organizationId, id, { name: 'Late' });
      const remove = ({ id }: UserBody) => users.delete(organizationId, id);
      for (const write of [change, remove]) {
        const [locked, unlocked] = [await api.createUser(), await api.createUser()];
        let isSettled = false;
        const { waiting } = await service.dataSource.transaction(async (other) => {
          await other.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
          await other.query('SELECT 1 FROM users WHERE organization_id = $1 AND id = $2 FOR UPDATE', [
            organizationId,
            locked.id,
          ]);
          const waiting = Promise.resolve(write(locked)).finally(() => (isSettled = true));
          await write(unlocked);
          await api.createUser();
          expect(isSettled).toBe(false);
          return { waiting };
        });
        await waiting;
        const { status, body } = await api.get(pathOf(locked));
        expect([status, body.name]).toEqual(write === change ? [200, 'Late'] : [404, undefined]);
      }
    });
  });

  itNotOn('citus', 'are a conflict if a table of the host refers to a user who is deleted', async () => {
    const { organizationId } = api;
    const user = await api.createUser();
    await service.dataSource.query(
      `CREATE TABLE badges (organization_id text, user_id text, FOREIGN KEY (organization_id, user_id) REFERENCES users)`,
    );
    await service.dataSource.query('INSERT INTO badges VALUES ($1, $2)', [organizationId, user.id]);
    await api.delete(pathOf(user)).expect(409);
    await service.dataSource.query('DROP TABLE badges');
    await api.delete(pathOf(user)).expect(204);
  });
});
