import fc from 'fast-check';
import { KEY_FIELDS, type KeyField, keyOf } from '../../src/users/batch/batch-rules';
import { UsersService } from '../../src/users/users.service';
import { PATH, TAKEN, useBatch, usersOf } from '../support/batch';
import { aUser, type Client, type UserBody } from '../support/client';
import { pathOf } from '../support/deleted-users';
import { itNotOn } from '../support/engine';
import { scimClient } from '../support/scim';
import { untilBlocked } from '../support/until';

const { service, api, post } = useBatch();

const EXTERNAL_ID_TAKEN = { ...TAKEN, field: 'externalId' };
const BY_EXTERNAL_ID = { mode: 'upsert', by: 'externalId' };

const statusesOf = (body: { results: { status: number }[] }) => body.results.map(({ status }) => status);

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

  it('refuses an email that a user has when the batch begins, or that an earlier element takes', async () => {
    const [ada, bob] = [await api.createUser({ externalId: '1' }), await api.createUser({ externalId: '2' })];
    const users = [
      { externalId: '1', email: 'new@example.com' },
      { externalId: '2', email: ada.email.toUpperCase() }, // given up, but only by this batch
      aUser({ externalId: '3', email: bob.email }),
      aUser({ externalId: '4', email: 'NEW@example.com' }),
      { externalId: '2', email: 'other@example.com' },
    ];
    const { body } = await post(users, BY_EXTERNAL_ID).expect(200);
    expect(statusesOf(body)).toEqual([200, 409, 409, 409, 200]);
    expect(body.results[1].errors).toEqual([TAKEN]);
    const { body: later } = await post([users[2]], BY_EXTERNAL_ID).expect(200);
    expect(statusesOf(later)).toEqual([201]);
  });

  it('refuses the user name of another user as an email', async () => {
    const scim = await scimClient(service, { organizationId: api.organizationId });
    const userName = 'name@example.com';
    const { body: named } = await scim
      .post('/Users', { userName, emails: [{ value: 'mail@example.com' }] })
      .expect(201);
    await api.patch(pathOf(named), { externalId: '1' }).expect(200);
    const { body } = await post(
      [
        { externalId: '1', email: userName },
        { externalId: '1', email: 'free@example.com' },
        aUser({ externalId: '2', email: 'mail@example.com' }),
        aUser({ externalId: '3', email: userName }),
      ],
      BY_EXTERNAL_ID,
    ).expect(200);
    expect(statusesOf(body)).toEqual([200, 409, 409, 409]);
    expect(body.results[3].errors).toEqual([TAKEN]);
    await api.patch(pathOf(named), { email: 'free@example.com' }).expect(200);
    const { body: later } = await post([aUser({ externalId: '3', email: userName })], BY_EXTERNAL_ID).expect(
      200,
    );
    expect(later.results[0].errors).toMatchObject([
      { message: 'is already the user name of another user of the organization' },
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

describe('an external id in a batch by email', () => {
  it('is taken where another user has it when the batch begins, or an earlier element takes it', async () => {
    const [ada, bob] = [await api.createUser({ externalId: '1' }), await api.createUser({ externalId: '2' })];
    for (const mode of ['create', 'upsert']) {
      const { body } = await post([aUser({ externalId: '1' })], { mode, atomic: true }).expect(409);
      expect(body).toMatchObject({
        detail: '1 value is already used.',
        errors: [{ ...EXTERNAL_ID_TAKEN, field: 'users.0.externalId' }],
      });
    }
    const { body } = await post(
      [
        { email: bob.email, externalId: '1' },
        { email: ada.email, externalId: '3' },
        aUser({ externalId: '1' }),
        aUser({ externalId: '3' }),
        { email: bob.email, externalId: null },
      ],
      { mode: 'upsert' },
    ).expect(200);
    expect(statusesOf(body)).toEqual([409, 200, 409, 409, 200]);
  });
});

type Element = { externalId?: string | null; email?: string };

const valuesOf = ({ email, externalId }: Element): string[] => [
  ...(email ? [keyOf(email, 'email')] : []),
  ...(externalId ? [externalId] : []),
];

/** The statuses of requests that do what the elements of an upsert do. What the batch frees stays taken in it. */
async function statusesAlone(client: Client, elements: Element[], by: KeyField): Promise<number[]> {
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

it.each(KEY_FIELDS)(
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
    for (const by of KEY_FIELDS) {
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
