import { aUser, type UserBody } from '../support/client';
import { eventsOf, PATH, TAKEN, useBatch, usersOf } from '../support/batch';

const { service, api, post } = useBatch();

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
