import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { eventsOf, TAKEN, useBatch, usersOf } from '../support/batch';
import { aUser } from '../support/client';
import { dumpOf } from '../support/dump';
import { describeOn, itNotOn } from '../support/engine';
import { pagesReadAfter } from '../support/plans';
import { statementsOf } from '../support/statements';
import { untilBlocked } from '../support/until';

const { service, api, post } = useBatch();

/** Runs the task once a batch has read its users, before it writes them; not again when it is repeated. */
function afterFirstRead(task: () => Promise<unknown>): void {
  const transaction = service.dataSource.transaction.bind(service.dataSource);
  let isDone = false;
  const withTask = (work: (manager: EntityManager) => Promise<unknown>) =>
    transaction((manager) => {
      const query = manager.query.bind(manager);
      manager.query = async (sql: string, ...more: never[]) => {
        const rows = await query(sql, ...more);
        if (!isDone && sql.includes('AS wanted (key)')) {
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
  it('refuses an external id that another user has taken meanwhile', async () => {
    const { id } = await api.createUser();
    const ada = await api.createUser();
    afterFirstRead(() => api.patch(`/api/v1/users/${id}`, { externalId: 'E-1' }).expect(200));
    const { body } = await post([aUser({ externalId: 'E-1' }), { email: ada.email, role: 'viewer' }], {
      mode: 'upsert',
    }).expect(200);
    expect(body.results).toMatchObject([
      { status: 409, errors: [{ ...TAKEN, field: 'externalId' }] },
      { status: 200, id: ada.id },
    ]);
  });

  it('keeps them from changing its users meanwhile', async () => {
    const { id, email } = await api.createUser();
    let change: Promise<unknown> | undefined;
    afterFirstRead(async () => {
      change = api.patch(`/api/v1/users/${id}`, { name: 'Later' }).expect(200);
      await Promise.race([untilBlocked(service.dataSource), change]);
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

describeOn('postgres', 'a batch of an import that began in an empty organization', () => {
  afterAll(() => service.dataSource.query(`DELETE FROM users WHERE email LIKE '%@example.org'`));

  itNotOn('citus', 'looks each user up by its own index, however many there are by now', async () => {
    const insert = (from: number, to: number) =>
      service.dataSource.query(
        `INSERT INTO users (organization_id, id, name, name_key, email, email_key, role, metadata)
         SELECT $1, 'usr_' || n, 'Test', 'test', n || '@example.org', n || '@example.org', 'member', '{}'
         FROM generate_series($2::integer, $3::integer) AS n`,
        [api.organizationId, from, to],
      );
    await insert(1, 2_500);
    const sent = await statementsOf(service.dataSource, async () => {
      await post([aUser(), aUser()], { mode: 'upsert', dryRun: true }).expect(200);
    });
    const find = sent.find(({ sql }) => sql.includes('AS wanted (key)'))!;
    expect(await pagesReadAfter(service.dataSource, find, () => insert(2_501, 20_000))).toBeLessThan(50);
  });
});

describe('nothing of a batch is anywhere in the database', () => {
  const rows = () => [
    { email: 'ada@example.com', role: 'viewer', name: 'Zaphod' },
    ...Array.from({ length: 150 }, () => aUser({ name: 'Beeblebrox' })),
  ];

  it('if it is a dry run, or an atomic one with a failure', async () => {
    await api.createUser({ email: 'ada@example.com' });
    const before = await dumpOf(service.dataSource);
    for (const [more, extra, status] of [
      [{ atomic: true }, [{ name: '' }], 400],
      [{ atomic: true, mode: 'create' }, [], 409],
      [{ dryRun: true }, [{ name: '' }], 200],
      [{ dryRun: true, atomic: true }, [], 200],
      [{ dryRun: true, atomic: true }, [{}], 400],
    ] as [object, object[], number][]) {
      await post([...rows(), ...extra], { mode: 'upsert', ...more })
        .set('Idempotency-Key', randomUUID())
        .expect(status);
      expect({ more, ...(await dumpOf(service.dataSource)) }).toEqual({ more, ...before });
    }
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

describe('a batch with an Idempotency-Key', () => {
  const send = (key: string, users: unknown[], more: object = {}, client = api) =>
    post(users, more, client).set('Idempotency-Key', key);

  it('is done once, and answered the same', async () => {
    for (const atomic of [true, false]) {
      const client = await service.client();
      const [key, rows] = [randomUUID(), [aUser(), ...(atomic ? [] : [{ name: '' }]), aUser()]];
      const first = await send(key, rows, { atomic }, client).expect(200);
      expect(first.headers['idempotent-replayed']).toBeUndefined();
      const [{ id }] = first.body.results;
      await client.delete(`/api/v1/users/${id}`).expect(204);
      const again = await send(key, rows, { atomic }, client).expect(200);
      expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
      expect(await usersOf(client)).toHaveLength(1);
      const { body } = await send(key, [...rows, aUser()], { atomic }, client).expect(422);
      expect(body.code).toBe('idempotency_mismatch');
      const other = await send(key, rows, { atomic }).expect(200);
      expect(other.headers['idempotent-replayed']).toBeUndefined();
    }
  });

  it('is done once by twenty requests at once', async () => {
    const [key, rows] = [randomUUID(), Array.from({ length: 120 }, () => aUser())];
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(key, rows)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0].body.counts.created).toBe(120);
    expect(answers.filter(({ headers }) => !headers['idempotent-replayed'])).toHaveLength(1);
  });

  it('is done once also if it changes nothing', async () => {
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

  it('keeps no key of a refusal, a dry run or a batch that fails as a whole', async () => {
    for (const atomic of [true, false])
      for (const length of [1, 150]) {
        const key = randomUUID();
        const users = Array.from({ length }, () => aUser());
        await send(key, [], { atomic }).expect(400);
        await send(key, users, { atomic, dryRun: true }).expect(200);
        const wrong = Array.from({ length }, () => ({ name: '' }));
        await send(key, wrong, { atomic }).expect(atomic ? 400 : 200);
        const { body, headers } = await send(key, users, { atomic }).expect(200);
        expect([body.counts.created, headers['idempotent-replayed']]).toEqual([length, undefined]);
      }
  });
});
