import fc from 'fast-check';
import { keyOf } from '../../src/users/batch/batch-rules';
import { UsersService } from '../../src/users/users.service';
import { eventsOf, PATH, TAKEN, useBatch, usersOf } from '../support/batch';
import { aUser, type Client, type UserBody } from '../support/client';
import { pathOf } from '../support/deleted-users';
import { itNotOn } from '../support/engine';
import { scimClient } from '../support/scim';
import { untilBlocked } from '../support/until';

const { service, api, post } = useBatch();

const statusesOf = (body: { results: { status: number }[] }) => body.results.map(({ status }) => status);

describe(`POST ${PATH}`, () => {
  it('creates users, and says what became of each in their order', async () => {
    const taken = await api.createUser({ email: 'taken@example.com' });
    const fields = { email: 'Ada@example.com', role: 'admin', active: false, metadata: { b: 1, a: [null] } };
    const { body } = await post([
      { name: ' Ada ', ...fields },
      { name: 'Eve', email: 'TAKEN@example.com' },
      { name: '', email: 'nobody' },
      7,
      { name: 'Bob', email: 'bob@example.com' },
    ]).expect(200);
    const invalid = { status: 400, id: null, version: null, code: 'validation_failed' };
    expect(body.results).toEqual([
      { index: 0, status: 201, id: expect.stringMatching(/^usr_/), version: 1 },
      { index: 1, status: 409, id: null, version: null, code: 'conflict', errors: [TAKEN] },
      { index: 2, ...invalid, errors: expect.any(Array) },
      { index: 3, ...invalid, errors: [{ field: 'body', code: 'invalid', message: 'must be an object' }] },
      { index: 4, status: 201, id: expect.stringMatching(/^usr_/), version: 1 },
    ]);
    expect(body.counts).toEqual({ created: 2, updated: 0, unchanged: 0, failed: 3 });
    const [ada, bob, same] = await usersOf(api);
    expect(ada).toMatchObject({ ...fields, id: body.results[0].id, name: 'Ada', version: 1 });
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

  it('gives an email that stands twice to the first that is right', async () => {
    for (const mode of ['create', 'upsert']) {
      const client = await service.client();
      const rows = [
        { email: 'a@example.com', name: '' },
        { email: 'A@example.com', name: 'First' },
        ...Array.from({ length: 150 }, () => aUser()), // the last one is in another transaction
        { email: 'a@EXAMPLE.com', name: 'Second' },
        { email: 'a@EXAMPLE.com', name: '' },
      ];
      const statuses = statusesOf((await post(rows, { mode }, client).expect(200)).body);
      expect([mode, ...statuses.slice(0, 2), ...statuses.slice(-2)]).toEqual([mode, 400, 201, 409, 400]);
      const [first] = await usersOf(client);
      expect(first).toMatchObject({ email: 'A@example.com', name: 'First', version: 1 });
    }
  });

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
  });

  it('names every fault of each element, or the first one if there are more than 1,000', async () => {
    const wrong = { name: '', email: 'nobody' };
    for (const [more, count, ...fields] of [
      [{}, 1_000, 'name', 'email'],
      [{ role: 'x' }, 1_001, 'name'],
    ] as [object, number, ...string[]][]) {
      const users = [{ ...wrong, ...more }, ...Array<object>(499).fill(wrong)];
      const fieldsOf = (errors: { field: string }[]) => errors.map(({ field }) => field);

      const { body } = await post(users).expect(200);
      for (const { errors } of body.results) expect(fieldsOf(errors)).toEqual(fields);

      const { body: refusal } = await post(users, { atomic: true }).expect(400);
      expect(refusal.detail).toBe(`${count} fields are invalid.`);
      expect(fieldsOf(refusal.errors)).toEqual(
        users.flatMap((_, n) => fields.map((field) => `users.${n}.${field}`)),
      );
    }
  });

  it('refuses an element with 1,000 unknown fields, whatever its email is', async () => {
    const fields = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [n, 1]));
    const odd = [5, null, {}, 'x'.repeat(300)].map((email) => ({ ...fields, email }));
    for (const one of odd) {
      const { body } = await post([aUser(), one], { mode: 'upsert' }).expect(200);
      expect(body.results).toMatchObject([{ status: 201 }, { status: 400, code: 'validation_failed' }]);
    }
  });

  it('if it is atomic, is a 400 that names the fields, or a 409 if only emails are taken', async () => {
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

const EXTERNAL_ID_TAKEN = { ...TAKEN, field: 'externalId' };
const BY_EXTERNAL_ID = { mode: 'upsert', by: 'externalId' };

describe('an upsert by externalId', () => {
  it('changes the user with that id, also the email, and creates whom nobody has', async () => {
    const [ada, bob] = [await api.createUser({ externalId: '1' }), await api.createUser({ externalId: '2' })];
    const { body } = await post(
      [
        { externalId: ' 1 ', email: 'new@example.com', role: 'viewer' },
        { externalId: '2', name: bob.name },
        aUser({ externalId: '3', email: 'three@example.com' }),
      ],
      BY_EXTERNAL_ID,
    ).expect(200);
    expect(body.counts).toEqual({ created: 1, updated: 1, unchanged: 1, failed: 0 });
    expect(body.results).toMatchObject([
      { status: 200, id: ada.id, version: 2 },
      { status: 200, id: bob.id, version: 1 },
      { status: 201, version: 1 },
    ]);
    expect((await api.get(pathOf(ada)).expect(200)).body).toMatchObject({
      ...ada,
      email: 'new@example.com',
      role: 'viewer',
      version: 2,
      updatedAt: expect.any(String),
    });
    const search = async (q: string) => (await api.get(`/api/v1/users/search?q=${q}`).expect(200)).body.data;
    expect(await search('new@example.com')).toMatchObject([{ id: ada.id }]);
    expect(await search(ada.email)).toEqual([]);
  });

  it('needs one in each element, once, and a name and an email of a new user', async () => {
    const { body } = await post(
      [
        aUser(),
        aUser({ externalId: null }),
        aUser({ externalId: ' ' }),
        { name: '' },
        { externalId: '1' },
        aUser({ externalId: '2' }),
        aUser({ externalId: '2' }),
        7,
      ],
      BY_EXTERNAL_ID,
    ).expect(200);
    const required = (field: string) => ({ field, code: 'required', message: 'is required' });
    expect(statusesOf(body)).toEqual([400, 400, 400, 400, 400, 201, 409, 400]);
    expect(body.results.map(({ errors = [] }) => errors)).toMatchObject([
      [required('externalId')],
      [required('externalId')],
      [{ field: 'externalId', code: 'too_short' }],
      [{ field: 'name', code: 'too_short' }, required('email'), required('externalId')],
      [required('name'), required('email')],
      [],
      [EXTERNAL_ID_TAKEN],
      [{ field: 'body', code: 'invalid' }],
    ]);
  });

  it('is atomic if it is to be, and a dry run says the same and writes nothing', async () => {
    const ada = await api.createUser({ externalId: '1' });
    const other = await api.createUser();
    const users = [
      { externalId: '1', email: 'new@example.com' },
      aUser({ externalId: '2', email: other.email }),
    ];
    const { body: dry } = await post(users, { ...BY_EXTERNAL_ID, dryRun: true }).expect(200);
    expect(statusesOf(dry)).toEqual([200, 409]);
    const { body: refused } = await post(users, { ...BY_EXTERNAL_ID, atomic: true }).expect(409);
    expect(refused.detail).toBe('1 email is already used.');
    await api.get(pathOf(ada)).expect(200, ada);
    const { body } = await post(users, BY_EXTERNAL_ID).expect(200);
    expect(body).toEqual(dry);
  });

  it('is for upsert alone', async () => {
    for (const more of [{ by: 'externalId' }, { by: 'email' }, { mode: 'create', by: 'email' }]) {
      const { body } = await post([aUser()], more).expect(400);
      expect(body.errors).toMatchObject([{ field: 'by', code: 'invalid' }]);
    }
    await post([aUser()], { mode: 'upsert', by: 'name' }).expect(400);
    await post([aUser()], { mode: 'upsert', by: null }).expect(400);
    await post([aUser()], { mode: 'upsert', by: 'email' }).expect(200);
  });
});

it('an external id in a batch by email is taken where another user has it when the batch begins', async () => {
  await api.createUser({ externalId: '1' });
  for (const mode of ['create', 'upsert']) {
    const { body } = await post([aUser({ externalId: '1' })], { mode, atomic: true }).expect(409);
    expect(body).toMatchObject({
      detail: '1 value is already used.',
      errors: [{ ...EXTERNAL_ID_TAKEN, field: 'users.0.externalId' }],
    });
  }
});

type Element = { externalId?: string | null; email?: string };

const valuesOf = ({ email, externalId }: Element): string[] => [
  ...(email ? [keyOf(email, 'email')] : []),
  ...(externalId ? [externalId] : []),
];

/** The statuses of requests that do what the elements of an upsert do. What the batch frees stays taken in it. */
async function statusesAlone(client: Client, elements: Element[], by: keyof Element): Promise<number[]> {
  const idOf = (user: UserBody) => valuesOf(user).map((value) => [value, user.id] as const);
  const holders = new Map((await usersOf(client)).flatMap(idOf));
  const statuses: number[] = [];
  for (const element of elements) {
    const id = holders.get(keyOf(element[by]!, by));
    if (valuesOf(element).some((value) => holders.has(value) && holders.get(value) !== id)) {
      statuses.push(409);
      continue;
    }
    const { status, body } = await (id
      ? client.patch(pathOf({ id }), element)
      : client.post('/api/v1/users', element));
    statuses.push(status);
    if (status < 300) for (const [value, id] of idOf(body)) holders.set(value, id);
  }
  return statuses;
}

/** A new organization with two users who have a user name beside the email. */
async function withUserNames(): Promise<Client> {
  const client = await service.client();
  const scim = await scimClient(service, { organizationId: client.organizationId });
  for (const [userName, email, externalId] of [
    ['name@example.com', 'a@example.com', '1'],
    ['other', 'b@example.com', '2'],
  ]) {
    const { body } = await scim.post('/Users', { userName, emails: [{ value: email }] }).expect(201);
    await client.patch(pathOf(body), { externalId }).expect(200);
  }
  return client;
}

it.each(['email', 'externalId'] as const)(
  'an upsert by %s does what requests of their own do in its order, but frees no value',
  async (by) => {
    // The last two are one address, as the first two are.
    const email = fc.constantFrom(
      ...['a@example.com', 'A@example.com', 'b@example.com', 'name@example.com'],
      ...['fi@example.com', 'ﬁ@example.com'],
    );
    const externalId = fc.constantFrom('1', '2', '3');
    const element: fc.Arbitrary<Element> =
      by === 'email'
        ? fc.record({ email, externalId: fc.option(externalId, { freq: 3 }) })
        : fc.record({ externalId, email: fc.option(email, { nil: undefined, freq: 3 }) });
    const elements = fc.uniqueArray(element, { selector: (fields) => keyOf(fields[by]!, by), minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(elements, { minLength: 1, maxLength: 3 }), async (batches) => {
        const [single, batched] = [await withUserNames(), await withUserNames()];
        for (const batch of batches) {
          const users = batch.map((fields) => ({ name: 'Someone', ...fields }));
          const answers = await statusesAlone(single, users, by);
          const { body } = await post(users, { mode: 'upsert', by }, batched).expect(200);
          expect(statusesOf(body)).toEqual(answers);
        }
        const stored = async (client: Client) =>
          (await usersOf(client)).map(({ externalId, email, version }) => ({ externalId, email, version }));
        expect(await stored(batched)).toEqual(await stored(single));
      }),
      { numRuns: 25 },
    );
  },
);

// An open transaction keeps the only connection.
itNotOn(
  'embedded',
  'an upsert finds whom another transaction commits while it waits for a lock',
  async () => {
    const users = service.app.get(UsersService);
    const people = Array.from({ length: 5 }, (_, n) => aUser({ externalId: `${n}` }));
    for (const by of ['email', 'externalId']) {
      const client = await service.client();
      const { email, externalId, id } = await client.createUser({ externalId: 'known' });
      const elements = [{ email, externalId, role: 'viewer' }, ...people];
      const batch = await service.dataSource.transaction(async (manager) => {
        await users.within(manager).update(client.organizationId, id, { name: 'Held' });
        // A promise of its own: a request is sent when somebody waits for it.
        const batch = Promise.resolve(post(elements, { mode: 'upsert', by }, client).expect(200));
        await untilBlocked(service.dataSource, 1, '%wanted%(key)%'); // the end of a long text is not shown
        for (const person of people) await users.within(manager).create(client.organizationId, person);
        return { batch };
      });
      expect((await batch.batch).body.counts).toEqual({ created: 0, updated: 1, unchanged: 5, failed: 0 });
    }
  },
);

// On a single connection they cannot meet.
itNotOn('embedded', 'batches that want the same two values in another order all end', async () => {
  const pairs = [
    [
      ['a@example.com', '2'],
      ['b@example.com', '1'],
    ],
    [
      ['a2@example.com', '1'],
      ['b2@example.com', '2'],
    ],
  ];
  for (let round = 0; round < 5; round++) {
    const client = await service.client();
    const responses = await Promise.all(
      pairs.map((pair) =>
        client.post(PATH, { users: pair.map(([email, externalId]) => aUser({ email, externalId })) }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    const ids = (await usersOf(client)).map(({ externalId }) => externalId);
    expect(ids.sort()).toEqual(['1', '2']);
  }
});
