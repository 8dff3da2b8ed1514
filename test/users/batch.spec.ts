import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { EntityManager } from 'typeorm';
import { aUser, type Client, type UserBody } from '../support/client';
import { describeOn } from '../support/engine';
import { dumpOf } from '../support/dump';
import { anyUser, EMAILS, HOSTILE_BODIES, TEXTS, VALUES } from '../support/hostile';
import { startService, type TestService } from '../support/service';

let service: TestService;
let api: Client;
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' });
});
beforeEach(async () => void (api = await service.client()));
afterAll(() => service.close());

const PATH = '/api/v1/users/batch';

const post = (users: unknown, more: object = {}, client = api) => client.post(PATH, { users, ...more });

const usersOf = async (client: Client): Promise<UserBody[]> =>
  (await client.get('/api/v1/users?limit=200&sort=email').expect(200)).body.data;

const eventsOf = async (client: Client) =>
  (await client.get('/api/v1/events?type=user.created,user.updated&limit=200').expect(200)).body.data;

const TAKEN = {
  field: 'email',
  code: 'taken',
  message: 'is already used by another user of the organization',
};

describe(`POST ${PATH}`, () => {
  it('creates users, and says what became of each in their order', async () => {
    const taken = await api.createUser({ email: 'taken@example.com' });
    const { body } = await post([
      {
        name: ' Ada ',
        email: 'Ada@example.com',
        role: 'admin',
        active: false,
        metadata: { b: 1, a: [null] },
      },
      { name: 'Eve', email: 'TAKEN@example.com' },
      { name: '', email: 'nobody' },
      7,
      { name: 'Bob', email: 'bob@example.com' },
    ]).expect(200);
    expect(body.results).toEqual([
      { index: 0, status: 201, id: expect.stringMatching(/^usr_/), version: 1 },
      { index: 1, status: 409, id: null, version: null, code: 'conflict', errors: [TAKEN] },
      {
        index: 2,
        status: 400,
        id: null,
        version: null,
        code: 'validation_failed',
        errors: expect.any(Array),
      },
      {
        index: 3,
        status: 400,
        id: null,
        version: null,
        code: 'validation_failed',
        errors: [{ field: 'body', code: 'invalid', message: 'must be an object' }],
      },
      { index: 4, status: 201, id: expect.stringMatching(/^usr_/), version: 1 },
    ]);
    expect(body.counts).toEqual({ created: 2, updated: 0, unchanged: 0, failed: 3 });
    const [ada, bob, same] = await usersOf(api);
    expect(ada).toMatchObject({
      id: body.results[0].id,
      name: 'Ada',
      email: 'Ada@example.com',
      role: 'admin',
      active: false,
      metadata: { b: 1, a: [null] },
      version: 1,
    });
    expect(bob).toMatchObject({ id: body.results[4].id, role: 'member', active: true, metadata: {} });
    expect(same).toEqual(taken);
  });

  it('with upsert changes the fields that an element has, and creates whom nobody has', async () => {
    const ada = await api.createUser({ email: 'ada@example.com', role: 'admin', metadata: { plan: 'pro' } });
    const bob = await api.createUser({ name: 'Bob', email: 'bob@example.com' });
    const { body } = await post(
      [
        { email: 'ADA@example.com', name: 'Augusta' },
        { email: 'bob@example.com', name: 'Bob' },
        { email: 'new@example.com' },
        { email: 'new@example.com', name: 'New' },
        { name: 'Nobody' },
      ],
      { mode: 'upsert' },
    ).expect(200);
    expect(body.results).toMatchObject([
      { status: 200, id: ada.id, version: 2 },
      { status: 200, id: bob.id, version: 1 },
      { status: 400, errors: [{ field: 'name', code: 'required' }] },
      { status: 201, version: 1 },
      { status: 400, errors: [{ field: 'email', code: 'required' }] },
    ]);
    expect(body.counts).toEqual({ created: 1, updated: 1, unchanged: 1, failed: 2 });
    const after = await usersOf(api);
    expect(after[0]).toEqual({
      ...ada,
      name: 'Augusta',
      email: 'ADA@example.com',
      version: 2,
      updatedAt: after[0].updatedAt,
    });
    expect(after[1]).toEqual(bob);
  });

  it.each(['create', 'upsert'])(
    'gives an email that stands twice to the first that is right: %s',
    async (mode) => {
      const rows = [
        { email: 'a@example.com', name: '' },
        { email: 'A@example.com', name: 'First' },
        ...Array.from({ length: 150 }, () => aUser()), // the last one is in another transaction
        { email: 'a@EXAMPLE.com', name: 'Second' },
        { email: 'a@EXAMPLE.com', name: '' },
      ];
      const { body } = await post(rows, { mode }).expect(200);
      const statuses = body.results.map(({ status }: { status: number }) => status);
      expect([...statuses.slice(0, 2), ...statuses.slice(-2)]).toEqual([400, 201, 409, 400]);
      const [first] = await usersOf(api);
      expect(first).toMatchObject({ email: 'A@example.com', name: 'First', version: 1 });
    },
  );

  it('writes an event for each change, and a search finds it at once, with a typo too', async () => {
    const bob = await api.createUser({ name: 'Bob', email: 'bob@example.com' });
    const rows = [
      { email: 'bob@example.com', role: 'viewer', active: false },
      aUser({ name: 'Xenophanes Colophon' }),
    ];
    const { body } = await post(rows, { mode: 'upsert' }).set('X-Request-ID', 'batch-1').expect(200);
    expect(await eventsOf(api)).toMatchObject([
      { target: { id: bob.id } },
      ...[
        { type: 'user.created', target: { id: body.results[1].id }, data: { user: { version: 1 } } },
        {
          type: 'user.updated',
          target: { id: bob.id },
          data: {
            user: { role: 'viewer', active: false, version: 2 },
            previous: { role: 'member', active: true },
          },
        },
      ].map((event) => ({ ...event, requestId: 'batch-1', actor: { id: api.tokenId }, source: 'api' })),
    ]);
    for (const q of ['xenophanes', 'xenophnaes']) {
      const { data } = (await api.get(`/api/v1/users/search?q=${q}`).expect(200)).body;
      expect(data.map(({ id }: UserBody) => id)).toEqual([body.results[1].id]);
    }
  });

  it('never touches a user of another organization', async () => {
    const other = await service.client();
    const theirs = await other.createUser({ email: 'ada@example.com', name: 'Theirs' });
    for (const mode of ['create', 'upsert']) {
      const fresh = await service.client();
      const { body } = await post([{ email: 'ada@example.com', name: 'Mine' }], { mode }, fresh).expect(200);
      expect(body.results).toMatchObject([{ status: 201 }]);
      expect(body.results[0].id).not.toBe(theirs.id);
    }
    expect(await usersOf(other)).toEqual([theirs]);
    expect(await eventsOf(other)).toHaveLength(1);
  });

  it('is one request for the limit', async () => {
    const { headers: before } = await post([aUser()]).expect(200);
    const { headers: after } = await post(Array.from({ length: 500 }, () => aUser())).expect(200);
    const left = (headers: Record<string, string>) => Number(headers['x-ratelimit-remaining']);
    expect(left(before) - left(after)).toBe(1);
  });

  it('takes 500 users and 1 MB, and no more', async () => {
    const rows = Array.from({ length: 501 }, () => aUser());
    const { body } = await post(rows).expect(400);
    expect(body.errors).toEqual([
      { field: 'users', code: 'too_many', message: 'must have at most 500 users' },
    ]);
    const bytes = (size: number) => JSON.stringify({ users: rows.slice(0, 500) }).padEnd(size);
    const send = (text: string) => api.post(PATH).type('json').send(text);
    expect((await send(bytes(1024 * 1024)).expect(200)).body.counts.created).toBe(500);
    const refusal = await send(bytes(1024 * 1024 + 1)).expect(413);
    expect(refusal.body.detail).toBe('The request body must not exceed 1 MB.');
    const chunked = api.post(PATH).type('json').set('Transfer-Encoding', 'chunked');
    chunked.write(bytes(1024 * 1024 + 1));
    await chunked.expect(413);
  });

  it.each([
    [{}, 'users', 'required'],
    [{ users: {} }, 'users', 'invalid'],
    [{ users: [] }, 'users', 'too_short'],
    [{ users: [{}], mode: 'replace' }, 'mode', 'invalid'],
    [{ users: [{}], mode: null }, 'mode', 'invalid'],
    [{ users: [{}], atomic: 'true' }, 'atomic', 'invalid'],
    [{ users: [{}], dryRun: 1 }, 'dryRun', 'invalid'],
    [{ users: [{}], dryrun: true }, 'dryrun', 'unknown'],
  ])('refuses the envelope %j', async (envelope, field, code) => {
    const { body } = await api.post(PATH, envelope).expect(400);
    expect(body).toMatchObject({ code: 'validation_failed', errors: [{ field, code }] });
  });

  it.each([
    ['every fault of each element', {}, 1_000, ['name', 'email']],
    ['the first fault of each element if there are more than 1,000', { role: 'x' }, 1_001, ['name']],
  ])('names %s', async (_what, more, count, fields) => {
    const wrong = { name: '', email: 'nobody' };
    const users = [{ ...wrong, ...more }, ...Array<object>(499).fill(wrong)];
    const fieldsOf = (errors: { field: string }[]) => errors.map(({ field }) => field);

    const { body } = await post(users).expect(200);
    for (const { errors } of body.results) expect(fieldsOf(errors)).toEqual(fields);

    const { body: refusal } = await post(users, { atomic: true }).expect(400);
    expect(refusal.detail).toBe(`${count} fields are invalid.`);
    expect(fieldsOf(refusal.errors)).toEqual(
      users.flatMap((_, n) => fields.map((field) => `users.${n}.${field}`)),
    );
  });

  it.each([5, null, {}, 'x'.repeat(300)])(
    'refuses an element with 1,000 unknown fields and the email %j',
    async (email) => {
      const odd = { ...Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [n, 1])), email };
      const { body } = await post([aUser(), odd], { mode: 'upsert' }).expect(200);
      expect(body.results).toMatchObject([{ status: 201 }, { status: 400, code: 'validation_failed' }]);
    },
  );

  it('answers other methods with 405', async () => {
    expect((await api.get(PATH).expect(405)).headers.allow).toBe('POST');
  });
});

describe('an atomic batch', () => {
  it('is written as a whole', async () => {
    const ada = await api.createUser({ email: 'ada@example.com' });
    const rows = [
      { email: 'ada@example.com', role: 'viewer' },
      ...Array.from({ length: 150 }, () => aUser()),
    ];
    const { body } = await post(rows, { mode: 'upsert', atomic: true }).expect(200);
    expect(body.counts).toEqual({ created: 150, updated: 1, unchanged: 0, failed: 0 });
    expect(body.results[0]).toEqual({ index: 0, status: 200, id: ada.id, version: 2 });
    expect(await usersOf(api)).toHaveLength(151);
  });

  it('with a failure is a 400 that names the fields, or a 409 if only emails are taken', async () => {
    await api.createUser({ email: 'taken@example.com' });
    const taken = aUser({ email: 'taken@example.com' });
    const { body: invalid } = await post([aUser(), taken, { name: '' }, 7], { atomic: true }).expect(400);
    expect(invalid.code).toBe('validation_failed');
    expect(invalid.errors).toMatchObject([
      { field: 'users.1.email', code: 'taken' },
      { field: 'users.2.name', code: 'too_short' },
      { field: 'users.2.email', code: 'required' },
      { field: 'users.3', code: 'invalid' },
    ]);
    const twice = aUser();
    const { body: conflict } = await post([taken, twice, twice], { atomic: true }).expect(409);
    expect(conflict).toMatchObject({
      code: 'conflict',
      detail: '2 emails are already used.',
      errors: [
        { field: 'users.0.email', code: 'taken' },
        { field: 'users.2.email', code: 'taken' },
      ],
    });
  });
});

/** Runs the task once a batch has read its users, before it writes them; not again when it is repeated. */
function afterFirstRead(task: () => Promise<unknown>): void {
  const transaction = service.dataSource.transaction.bind(service.dataSource);
  let isDone = false;
  const withTask = (work: (manager: EntityManager) => Promise<unknown>) =>
    transaction((manager) => {
      const query = manager.query.bind(manager);
      manager.query = async (sql: string, ...more: never[]) => {
        const rows = await query(sql, ...more);
        if (!isDone && sql.includes('AS wanted (email_key)')) {
          isDone = true;
          await task();
        }
        return rows;
      };
      return work(manager);
    });
  jest.spyOn(service.dataSource, 'transaction').mockImplementation(withTask as never);
}

describeOn('postgres', 'a batch that others get in the way of', () => {
  afterEach(() => jest.restoreAllMocks());

  it('keeps them from changing its users meanwhile', async () => {
    const { id, email } = await api.createUser();
    let change: Promise<unknown> | undefined;
    afterFirstRead(async () => {
      change = api.patch(`/api/v1/users/${id}`, { name: 'Later' }).expect(200);
      await new Promise((done) => setTimeout(done, 200));
    });
    const { body } = await post([{ email, role: 'viewer' }, aUser()], { mode: 'upsert' }).expect(200);
    expect(body.results[0]).toEqual({ index: 0, status: 200, id, version: 2 });
    await change;
    const { body: user } = await api.get(`/api/v1/users/${id}`).expect(200);
    expect(user).toMatchObject({ role: 'viewer', name: 'Later', version: 3 });
  });

  const users = Array.from({ length: 150 }, (_, n) =>
    aUser({ email: `${String(n).padStart(3, '0')}@example.com`, metadata: { text: 'x'.repeat(1_000) } }),
  );
  const { email } = users[140];
  const take = (id: string) =>
    service.dataSource.query(
      'UPDATE users SET email = $3, email_key = $3 WHERE organization_id = $1 AND id = $2',
      [api.organizationId, id, email],
    );

  it('leaves nothing if it is atomic and an email is taken, however many statements write it', async () => {
    const { id } = await api.createUser();
    afterFirstRead(() => take(id));
    const { body } = await post(users, { atomic: true }).expect(409);
    expect(body.errors).toMatchObject([{ field: 'users.140.email', code: 'taken' }]);
    expect(await usersOf(api)).toMatchObject([{ id, email }]);
    expect(await eventsOf(api)).toHaveLength(1);
  });

  it('creates all others if it is not, and keeps its key', async () => {
    const { id } = await api.createUser();
    afterFirstRead(() => take(id));
    const key = randomUUID();
    const first = await post(users).set('Idempotency-Key', key).expect(200);
    expect(first.body.counts).toEqual({ created: 149, updated: 0, unchanged: 0, failed: 1 });
    expect(first.body.results[140]).toMatchObject({ status: 409, errors: [TAKEN] });
    const again = await post(users).set('Idempotency-Key', key).expect(200);
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    expect(await usersOf(api)).toHaveLength(150);
  });
});

it('a batch that fails in the middle has written nothing, and its key is free', async () => {
  const users = Array.from({ length: 150 }, () => aUser({ metadata: { text: 'x'.repeat(1_000) } }));
  const key = randomUUID();
  const before = await dumpOf(service.dataSource);
  const transaction = service.dataSource.transaction.bind(service.dataSource);
  let statements = 0;
  const cutShort = (work: (manager: EntityManager) => Promise<unknown>) =>
    transaction((manager) => {
      const query = manager.query.bind(manager);
      manager.query = async (sql: string, ...more: never[]) => {
        if (sql.includes('INSERT INTO') && sql.includes('users') && ++statements === 2)
          throw new Error('cut');
        return query(sql, ...more);
      };
      return work(manager);
    });
  const spy = jest.spyOn(service.dataSource, 'transaction').mockImplementation(cutShort as never);
  await post(users).set('Idempotency-Key', key).expect(500);
  spy.mockRestore();
  expect(statements).toBe(2);
  expect(await dumpOf(service.dataSource)).toEqual(before);
  const { body } = await post(users).set('Idempotency-Key', key).expect(200);
  expect(body.counts.created).toBe(150);
});

describe('nothing of a batch is anywhere in the database', () => {
  const rows = () => [
    { email: 'ada@example.com', role: 'viewer', name: 'Zaphod' },
    ...Array.from({ length: 150 }, () => aUser({ name: 'Beeblebrox' })),
  ];

  it.each([
    ['an atomic one with a failure', { atomic: true }, [{ name: '' }], 400],
    ['an atomic one with a taken email', { atomic: true, mode: 'create' }, [], 409],
    ['a dry run', { dryRun: true }, [{ name: '' }], 200],
    ['an atomic dry run', { dryRun: true, atomic: true }, [], 200],
    ['an atomic dry run with a failure', { dryRun: true, atomic: true }, [{}], 400],
  ])('of %s', async (_what, more, extra, status) => {
    await api.createUser({ email: 'ada@example.com' });
    const before = await dumpOf(service.dataSource);
    await post([...rows(), ...extra], { mode: 'upsert', ...more })
      .set('Idempotency-Key', randomUUID())
      .expect(status);
    expect(await dumpOf(service.dataSource)).toEqual(before);
  });

  it('and a dry run says what the batch then does', async () => {
    await api.createUser({ email: 'ada@example.com' });
    const batch = [...rows(), { email: 'ada@example.com' }, { email: 'Ada@example.com', name: 'x' }, 'x'];
    for (const mode of ['upsert', 'create']) {
      const dry = (await post(batch, { mode, dryRun: true }).expect(200)).body;
      const real = (await post(batch, { mode }).expect(200)).body;
      type Result = { status: number };
      const asDry = (result: Result) =>
        result.status === 201 ? { ...result, id: null, version: null } : result;
      expect(dry).toEqual({ results: real.results.map(asDry), counts: real.counts });
    }
  });
});

describe('an element gets the answer of a request of its own', () => {
  interface Answer {
    status: number;
    code?: string;
    errors?: { field: string }[];
  }
  const answerOf = ({ status, code, errors }: Answer): Answer =>
    status < 400 ? { status } : { status, code, errors };

  /** The answers to requests of their own, and to the same in batches, of two organizations; the users are then the same. */
  async function compare(
    mode: 'create' | 'upsert',
    bodies: string[],
    alone: (client: Client, body: string, n: number) => Promise<{ status: number; body: Answer }>,
    elementOf: (body: string, n: number) => string,
  ): Promise<number> {
    const [single, batched] = [await service.client(), await service.client()];
    const known = bodies.slice(0, 500).map((_body, n) => ({ name: 'Known', email: knownEmail(n) }));
    for (const client of [single, batched]) await post(known, {}, client).expect(200);
    const answers: Answer[] = [];
    for (const [n, body] of bodies.entries()) {
      const answer = await alone(single, body, n);
      answers.push(answerOf({ ...answer.body, status: answer.status }));
    }
    let pending = bodies.map((_body, n) => n);
    let refusals = 0;
    while (pending.length > 0) {
      const group = pending.slice(0, 500);
      const elements = group.map((n) => elementOf(bodies[n], n));
      const { status, body } = await batched
        .post(PATH)
        .type('json')
        .send(`{"users":[${elements.join()}],"mode":"${mode}"}`);
      if (status === 200) {
        const results = body.results.map((result: Answer, i: number) => [bodies[group[i]], answerOf(result)]);
        expect(results).toEqual(group.map((n) => [bodies[n], answers[n]]));
        pending = pending.slice(group.length);
        continue;
      }
      // What cannot be stored in any JSON refuses the whole.
      const refused = new Set<number>();
      for (const { field, ...error } of body.errors) {
        const [, index, name] = /^users\.(\d+)\.(.*)$/s.exec(field)!;
        const n = group[Number(index)];
        expect(answers[n].errors).toContainEqual({ field: name, ...error });
        refused.add(n);
      }
      expect(refused.size).toBeGreaterThan(0);
      refusals += refused.size;
      pending = pending.filter((n) => !refused.has(n));
    }
    const stored = async (client: Client) =>
      (await usersOf(client)).map(({ id: _id, createdAt: _created, updatedAt: _updated, ...user }) => user);
    expect(await stored(batched)).toEqual(await stored(single));
    return refusals;
  }
  const knownEmail = (n: number) => `known-${n}@example.com`;

  const fields = ['name', 'email', 'role', 'metadata', 'id', 'other'];
  const isFree = (field: string) => ['name', 'email', 'role'].includes(field);
  const corpus = [
    ...HOSTILE_BODIES.map(([, body]) => body),
    ...fields.flatMap((field) =>
      [...(isFree(field) ? TEXTS : []), ...(field === 'email' ? EMAILS : []), ...VALUES].map((value, n) =>
        JSON.stringify({ name: 'Ada', email: `${field}${n}@example.com`, [field]: value }),
      ),
    ),
    ...['{}', '7', 'null', '[]', '"text"', '[{}]', 'true'],
    ...fc.sample(anyUser, { numRuns: 60, seed: 1 }).map((fields) => JSON.stringify(fields)),
  ];

  it('as a POST', async () => {
    const create = async (client: Client, body: string) =>
      client.post('/api/v1/users').type('json').send(body);
    const refusals = await compare('create', corpus, create, (body) => body);
    expect(refusals).toBeGreaterThanOrEqual(HOSTILE_BODIES.length);
  });

  it('as a PATCH', async () => {
    const bodies = corpus
      .filter((body) => body.startsWith('{'))
      .map((body) => body.replace(/"name":"Ada",?/, ''))
      .map((body) => body.replace(/"email":"(?:[^"\\]|\\.)*",?/, '').replace(/,\}$/, '}'))
      .filter((body) => !body.includes('"email":')); // another value finds nobody
    const changes = [...new Set(bodies)];
    expect(changes.length).toBeLessThanOrEqual(500);
    const ids = new Map<Client, string[]>();
    const update = async (client: Client, body: string, n: number) => {
      if (!ids.has(client)) {
        const { results } = (
          await post(
            changes.map((_body, n) => ({ email: knownEmail(n) })),
            { mode: 'upsert', dryRun: true },
            client,
          )
        ).body;
        ids.set(
          client,
          results.map(({ id }: { id: string }) => id),
        );
      }
      return client
        .patch(`/api/v1/users/${ids.get(client)![n]}`)
        .type('json')
        .send(body);
    };
    const refusals = await compare('upsert', changes, update, (body, n) =>
      body.replace('{', `{"email":${JSON.stringify(knownEmail(n))}${body === '{}' ? '' : ','}`),
    );
    expect(refusals).toBeGreaterThan(5);
  });
});

describe.each([{ atomic: true }, { atomic: false }])('a batch with an Idempotency-Key (%j)', ({ atomic }) => {
  const send = (key: string, users: unknown[], more: object = {}, client = api) =>
    post(users, { atomic, ...more }, client).set('Idempotency-Key', key);

  it('is done once, and answered the same', async () => {
    const [key, rows] = [randomUUID(), [aUser(), ...(atomic ? [] : [{ name: '' }]), aUser()]];
    const first = await send(key, rows).expect(200);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    const [{ id }] = first.body.results;
    await api.delete(`/api/v1/users/${id}`).expect(204);
    const again = await send(key, rows).expect(200);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await usersOf(api)).toHaveLength(1);
    const { body } = await send(key, [...rows, aUser()]).expect(422);
    expect(body.code).toBe('idempotency_mismatch');
    const other = await service.client();
    expect((await send(key, rows, {}, other).expect(200)).headers['idempotent-replayed']).toBeUndefined();
  });

  it('is done once by twenty requests at once', async () => {
    const [key, rows] = [randomUUID(), Array.from({ length: 120 }, () => aUser())];
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(key, rows)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0].body.counts.created).toBe(120);
    expect(answers.filter(({ headers }) => !headers['idempotent-replayed'])).toHaveLength(1);
  });

  it('also if it changes nothing', async () => {
    const { email } = await api.createUser();
    const key = randomUUID();
    const first = await send(key, [{ email }], { mode: 'upsert' }).expect(200);
    await api.patch(`/api/v1/users/${first.body.results[0].id}`, { role: 'admin' }).expect(200);
    const again = await send(key, [{ email }], { mode: 'upsert' }).expect(200);
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  });

  it('keeps no name and no email', async () => {
    await send(randomUUID(), [aUser({ name: 'Zarathustra', email: 'z@superman.example' })]).expect(200);
    const { idempotency_keys: kept } = await dumpOf(service.dataSource);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.join()).not.toMatch(/zarathustra|superman/i);
  });

  it('keeps no key of a refusal or a dry run', async () => {
    const key = randomUUID();
    await send(key, []).expect(400);
    await send(key, [aUser()], { dryRun: true }).expect(200);
    expect((await send(key, [aUser()]).expect(200)).headers['idempotent-replayed']).toBeUndefined();
  });

  it.each([1, 150])('keeps no key if it fails as a whole: %i elements', async (length) => {
    const [key, wrong] = [randomUUID(), Array.from({ length }, () => ({ name: '' }))];
    await send(key, wrong).expect(atomic ? 400 : 200);
    expect(
      (
        await send(
          key,
          wrong.map(() => aUser()),
        ).expect(200)
      ).body.counts.created,
    ).toBe(length);
  });
});
