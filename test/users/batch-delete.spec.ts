import { randomUUID } from 'node:crypto';
import { DELETE_PATH, idsOf, useBatchDelete } from '../support/batch-delete';
import { deletedPath, pathOf, restorePath } from '../support/deleted-users';
import { dumpOf } from '../support/dump';
import { itNotOn } from '../support/engine';
import { directoryOf } from '../support/scim';
import { startService, type TestService } from '../support/service';

const { service, api, del, people, eventsOf, counts } = useBatchDelete();

const NOBODY = 'usr_00000000000000000000000000';

describe(`POST ${DELETE_PATH}`, () => {
  it('deletes users as single requests would, and says what became of each in their order', async () => {
    const [ada, bob, other] = await people(3, (n) => ({ metadata: { n, text: 'é' } }));
    const before = (await api.get(pathOf(bob)).expect(200)).body;
    const { body } = await del([
      { id: bob.id },
      { id: NOBODY },
      { id: bob.id },
      { id: 'nobody' },
      { id: ada.id },
    ]).expect(200);
    const missing = { status: 404, version: null, code: 'not_found' };
    expect(body).toEqual({
      results: [
        { index: 0, status: 204, id: bob.id, version: null },
        { index: 1, ...missing, id: NOBODY },
        { index: 2, ...missing, id: bob.id },
        { index: 3, ...missing, id: null },
        { index: 4, status: 204, id: ada.id, version: null },
      ],
      counts: { deleted: 2, failed: 3 },
    });
    expect(await eventsOf('user.deleted')).toEqual([`deleted ${bob.id}`, `deleted ${ada.id}`]);
    const { deletedAt: _, purgeAt: __, ...kept } = (await api.get(deletedPath(bob)).expect(200)).body;
    expect(kept).toEqual(before);
    const { body: events } = await api.get('/api/v1/events?type=user.deleted').expect(200);
    expect(events.data[0].data).toEqual({ user: before });
    expect(await counts()).toEqual([1, 2]);
    await api.get(pathOf(other)).expect(200);
  });

  it('leaves nothing of them that a search finds, and gives their emails and external ids free', async () => {
    const [ada] = await people(1, () => ({ name: 'Zarathustra', externalId: 'E-1' }));
    await del([{ id: ada.id }]).expect(200);
    const { body } = await api.get('/api/v1/users/search?q=zarathustra').expect(200);
    expect(body.data).toEqual([]);
    await api.createUser({ email: ada.email, externalId: 'E-1' });
    await api.post(restorePath(ada)).expect(409);
  });

  it('finds users by email and by external id, as they are compared', async () => {
    const [ada, bob, eve] = await people(3, (n) => ({ email: `By-${n}@example.com`, externalId: `E-${n}` }));
    const emails = ['bY-0@EXAMPLE.com', ' by-0@example.com', 'by-9@example.com', 'x'].map((email) => ({
      email,
    }));
    const byEmail = (await del(emails, { by: 'email' }).expect(200)).body;
    expect(byEmail.results).toEqual([
      { index: 0, status: 204, id: ada.id, version: null },
      { index: 1, status: 404, id: null, version: null, code: 'not_found' },
      { index: 2, status: 404, id: null, version: null, code: 'not_found' },
      expect.objectContaining({ status: 400, errors: [expect.objectContaining({ field: 'email' })] }),
    ]);
    const externalIds = ['E-2', 'e-1', ' E-1'].map((externalId) => ({ externalId }));
    const byExternalId = (await del(externalIds, { by: 'externalId' }).expect(200)).body;
    expect(byExternalId.results).toMatchObject([
      { status: 204, id: eve.id },
      { status: 404, id: null },
      { status: 204, id: bob.id },
    ]);
    expect(byExternalId.counts).toEqual({ deleted: 2, failed: 1 });
  });

  it('refuses an element that is wrong in its place', async () => {
    const [ada] = await people(1);
    const { id, email } = ada;
    const wrong = [
      7,
      null,
      [id],
      {},
      { id: 7 },
      { id: null },
      { email },
      { id, name: 'x', a: 1 },
      { id: [] },
    ];
    const { body } = await del([...wrong, { id }]).expect(200);
    type Result = { status: number; code: string; errors?: { field: string; code: string }[] };
    const shown = body.results.map(({ status, code, errors = [] }: Result) => [
      status,
      code,
      errors.map((fault) => `${fault.field} ${fault.code}`).sort(),
    ]);
    const as = (...faults: string[]) => [400, 'validation_failed', faults];
    expect(shown).toEqual([
      as('body invalid'),
      as('body invalid'),
      as('body invalid'),
      as('id required'),
      as('id invalid'),
      as('id invalid'),
      as('email unknown', 'id required'),
      as('a unknown', 'name unknown'),
      as('id invalid'),
      [204, undefined, []],
    ]);
    const { body: byEmail } = await del([{ id }, { email: null }], { by: 'email' }).expect(200);
    expect(byEmail.counts).toEqual({ deleted: 0, failed: 2 });
  });

  it('refuses an envelope that is wrong, and names what', async () => {
    const elements = (length: number) => Array.from({ length }, () => ({ id: NOBODY }));
    for (const [body, ...faults] of [
      [{}, 'users required'],
      [{ users: {} }, 'users invalid'],
      [{ users: [] }, 'users too_short'],
      [{ users: elements(501) }, 'users too_many'],
      [{ users: elements(1), by: 'name' }, 'by invalid'],
      [{ users: elements(1), by: null }, 'by invalid'],
      [{ users: elements(1), atomic: 1, dryRun: 'x' }, 'atomic invalid', 'dryRun invalid'],
      [{ users: elements(1), mode: 'update' }, 'mode unknown'],
      [{ users: [{ id: 'a\0b' }] }, 'users.0.id invalid'],
    ] as [object, ...string[]][]) {
      const { body: error } = await api.post(DELETE_PATH, body).expect(400);
      const shown = error.errors.map((fault: Record<string, string>) => `${fault.field} ${fault.code}`);
      expect([body, shown.sort()]).toEqual([body, faults]);
    }
    await del(elements(500)).expect(200);
  });

  it('needs the scope users:delete, and takes nobody of another organization', async () => {
    const [ada] = await people(1);
    const other = await service.client();
    const { body } = await del([{ id: ada.id }], {}, other).expect(200);
    expect(body.results).toMatchObject([{ status: 404 }]);
    const { organizationId } = api;
    const writer = await service.client({ scopes: ['users:write', 'users:read'], organizationId });
    await del([{ id: ada.id }], {}, writer).expect(403);
    await api.get(pathOf(ada)).expect(200);
  });

  it('takes members out of their groups, and hides them from filters of a directory', async () => {
    const scim = directoryOf(() => api);
    const created = [];
    for (let n = 0; n < 3; n++)
      created.push(
        (await scim.post('/Users', { userName: `u${n}`, emails: [{ value: `${n}@example.com` }] })).body,
      );
    const [ada, bob, eve]: { id: string }[] = created;
    const groups = [];
    for (const members of [[ada, bob, eve], [ada], [eve]])
      groups.push(
        (
          await scim.post('/Groups', {
            displayName: randomUUID(),
            members: members.map(({ id }) => ({ value: id })),
          })
        ).body,
      );
    await del(idsOf([bob, ada])).expect(200);
    const sizes = [];
    for (const { id } of groups)
      sizes.push((await api.get(`/api/v1/groups/${id}`).expect(200)).body.memberCount);
    expect(sizes).toEqual([1, 0, 1]);
    const found = [];
    for (let n = 0; n < 3; n++) found.push(...(await scim.find('/Users', `userName eq "u${n}"`)).Resources);
    expect(found.map(({ id }: { id: string }) => id)).toEqual([eve.id]);
  });
});

describe('an atomic batch of deletions', () => {
  it('deletes all, or names who is not there and what is wrong', async () => {
    const users = await people(3);
    const { body } = await del([...idsOf(users), { id: NOBODY }, { id: users[0].id }, { id: 7 }], {
      atomic: true,
    }).expect(400);
    expect(body.code).toBe('validation_failed');
    const shown = body.errors.map((fault: Record<string, string>) => `${fault.field} ${fault.code}`);
    expect(shown).toEqual(['users.3 not_found', 'users.4 not_found', 'users.5.id invalid']);
    expect(await counts()).toEqual([3, 0]);
    expect(await eventsOf('user.deleted')).toEqual([]);
    const all = await del(idsOf(users), { atomic: true }).expect(200);
    expect(all.body.counts).toEqual({ deleted: 3, failed: 0 });
  });
});

describe('a dry run of deletions', () => {
  it('says what a batch then does, and writes nothing', async () => {
    const users = await people(2);
    const elements = [...idsOf(users), { id: NOBODY }, { id: users[0].id }, 7];
    const before = await dumpOf(service.dataSource);
    const dry = await del(elements, { dryRun: true }).set('Idempotency-Key', randomUUID()).expect(200);
    await del(elements, { dryRun: true, atomic: true }).expect(400);
    expect(await dumpOf(service.dataSource)).toEqual(before);
    const real = await del(elements).expect(200);
    expect(dry.body).toEqual(real.body);
  });
});

describe('a batch of deletions with an Idempotency-Key', () => {
  it('is done once, and answered the same', async () => {
    const users = await people(2);
    const [key, elements] = [randomUUID(), [...idsOf(users), { id: NOBODY }]];
    const send = (body: unknown[]) => del(body).set('Idempotency-Key', key);
    const first = await send(elements).expect(200);
    await api.post(restorePath(users[0])).expect(200);
    const again = await send(elements).expect(200);
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    expect(await counts()).toEqual([1, 1]);
    await send(idsOf(users)).expect(422);
  });

  it('keeps no key of a batch that deletes nobody', async () => {
    const key = randomUUID();
    const [ada] = await people(1);
    const send = (more: object, body: unknown[] = [{ id: NOBODY }]) =>
      del(body, more).set('Idempotency-Key', key);
    await send({}).expect(200);
    await send({ atomic: true }).expect(400);
    await send({ dryRun: true }).expect(200);
    const { headers } = await send({}, [{ id: ada.id }]).expect(200);
    expect(headers['idempotent-replayed']).toBeUndefined();
    await api.get(pathOf(ada)).expect(404);
  });
});

describe('users to whom a table of a host refers', () => {
  const badges = (sql: string, values: unknown[] = []) => service.dataSource.query(sql, values);
  beforeAll(() =>
    badges(
      `CREATE TABLE badges (organization_id text COLLATE "C", user_id text COLLATE "C",
         FOREIGN KEY (organization_id, user_id) REFERENCES users)`,
    ),
  );
  afterAll(() => badges('DROP TABLE badges'));
  const give = ({ id }: { id: string }) =>
    badges('INSERT INTO badges VALUES ($1, $2)', [api.organizationId, id]);

  itNotOn('citus', 'stay, are named with a 409, and keep nobody else', async () => {
    const users = await people(230);
    const staying = [0, 1, 99, 150, 229];
    for (const n of staying) await give(users[n]);
    const elements = [...idsOf(users), { id: users[0].id }];
    const dry = await del(elements, { dryRun: true }).expect(200);
    const { body } = await del(elements).expect(200);
    expect(body).toEqual(dry.body);
    expect(body.counts).toEqual({ deleted: 225, failed: 6 });
    const conflict = { status: 409, version: null, code: 'conflict' };
    for (const n of staying) expect(body.results[n]).toEqual({ index: n, id: users[n].id, ...conflict });
    expect(body.results[230]).toEqual({ index: 230, id: users[0].id, ...conflict });
    expect(await counts()).toEqual([5, 225]);
    expect(await eventsOf('user.deleted')).toHaveLength(200); // a page
    await api.get(pathOf(users[99])).expect(200);
  });

  itNotOn('citus', 'make an atomic batch a 409 that names them, or a 400 beside other failures', async () => {
    const users = await people(3);
    await give(users[1]);
    const { body } = await del(idsOf(users), { atomic: true }).expect(409);
    const fault = { field: 'users.1', code: 'invalid', message: expect.stringContaining('still refers') };
    expect(body).toMatchObject({ code: 'conflict', errors: [fault] });
    const { body: both } = await del([...idsOf(users), { id: NOBODY }], { atomic: true }).expect(400);
    expect(both.errors).toMatchObject([fault, { field: 'users.3', code: 'not_found' }]);
    expect(await counts()).toEqual([3, 0]);
  });
});

describe('where deleted users are not kept', () => {
  let strict: TestService;
  beforeAll(async () => (strict = await startService({ DELETED_USERS_RETENTION_DAYS: '0' })));
  afterAll(() => strict.close());

  it('they are purged, and a repeated request purges nobody again', async () => {
    const client = await strict.client();
    const users = await people(3, () => ({ name: 'Zarathustra' }), client);
    const key = randomUUID();
    const send = () => del(idsOf(users), {}, client).set('Idempotency-Key', key).expect(200);
    expect((await send()).body.counts).toEqual({ deleted: 3, failed: 0 });
    expect((await send()).headers['idempotent-replayed']).toBe('true');
    const ids = users.map(({ id }) => id);
    expect(await eventsOf('user.deleted,user.purged', client)).toEqual([
      ...ids.map((id) => `deleted ${id}`),
      ...ids.map((id) => `purged ${id}`),
    ]);
    expect(JSON.stringify(await dumpOf(strict.dataSource))).not.toMatch(/zarathustra/i);
  });
});
