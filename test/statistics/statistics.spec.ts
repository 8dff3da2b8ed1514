import type { DataSource } from 'typeorm';
import { newId } from '../../src/platform/database/id';
import { userCounts } from '../../src/statistics/statistics.service';
import { useApi } from '../support/service';
import { statementsOf } from '../support/statements';

const { service, api } = useApi({ RATE_LIMIT_PER_MINUTE: '2000' });
let dataSource: DataSource;
beforeAll(() => void ({ dataSource } = service));

const statistics = async () => (await api.get('/api/v1/statistics').expect(200)).body;

/** Adds users in a way that is fast; every tenth is not active. */
async function addUsers(count: number, organizationId = api.organizationId): Promise<void> {
  const ids = Array.from({ length: count }, () => newId('usr'));
  await dataSource.query(
    `INSERT INTO users (organization_id, id, name, name_key, email, email_key, role, active, metadata)
     SELECT $1, id, id, id, id, id, 'member', n % 10 > 0, '{}' FROM unnest($2::text[]) WITH ORDINALITY AS given (id, n)`,
    [organizationId, ids],
  );
}

const setCreated = (id: string, at: Date) =>
  dataSource.query(`UPDATE users SET created_at = $3 WHERE organization_id = $1 AND id = $2`, [
    api.organizationId,
    id,
    at,
  ]);

/** From now on the statistics that are kept are older than a minute. */
function letAMinutePass(): void {
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
}

describe('GET /api/v1/statistics', () => {
  it('counts the users of the organization, and nobody else', async () => {
    const other = await service.client();
    await other.createUser();
    await api.createUser();
    await api.createUser({ active: false });
    const { id } = await api.createUser();
    await api.delete(`/api/v1/users/${id}`).expect(204);

    const { organization, users, createdByDay, countedAt } = await statistics();

    expect(organization).toEqual({ id: api.organizationId, name: 'Test' });
    expect(users).toEqual({ total: 2, active: 1, exact: true });
    expect(createdByDay).toHaveLength(30);
    expect(createdByDay.at(-1)).toEqual({ date: countedAt.slice(0, 10), count: 2 });
  });

  it('has the last 30 days in UTC, of which today is the last', async () => {
    const [{ now }] = await dataSource.query(`SELECT now()`);
    const midnight = Date.parse(now.toISOString().slice(0, 10));
    const dayBefore = (days: number) => midnight - days * 24 * 60 * 60_000;
    for (const at of [midnight, midnight - 1, dayBefore(29), dayBefore(29) - 1])
      await setCreated((await api.createUser()).id, new Date(at));

    const { createdByDay } = await statistics();

    const dates = Array.from({ length: 30 }, (_, i) =>
      new Date(dayBefore(29 - i)).toISOString().slice(0, 10),
    );
    expect(createdByDay.map(({ date }: { date: string }) => date)).toEqual(dates);
    const counts: number[] = createdByDay.map(({ count }: { count: number }) => count);
    expect(counts).toEqual([1, ...Array<number>(27).fill(0), 1, 1]);
  });

  it('counts once for all who ask at the same time', async () => {
    await api.createUser();
    const counts = (
      await statementsOf(dataSource, () => Promise.all(Array.from({ length: 200 }, statistics)))
    ).filter(({ sql }) => sql.includes('AS spans'));
    expect(counts).toHaveLength(1);
  });

  it('is up to a minute old', async () => {
    await api.createUser();
    const first = await statistics();
    await api.createUser();
    expect(await statistics()).toEqual(first);
    letAMinutePass();
    expect((await statistics()).users.total).toBe(2);
  });

  it('keeps no failure', async () => {
    await api.createUser();
    await dataSource.query(`ALTER TABLE users RENAME TO hidden`);
    await api.get('/api/v1/statistics').expect(500);
    await dataSource.query(`ALTER TABLE hidden RENAME TO users`);
    expect((await statistics()).users.total).toBe(1);
  });

  it('counts up to a maximum, which means "at least"', async () => {
    await addUsers(20);
    const count = (max: number) => userCounts(dataSource.manager, api.organizationId, max);

    expect(await count(21)).toEqual({ total: 20, active: 18, exact: true });
    expect(await count(20)).toEqual({ total: 20, active: 18, exact: false });
    expect(await count(18)).toEqual({ total: 18, active: 18, exact: false });
    expect(await count(5)).toEqual({ total: 5, active: 5, exact: false });
  });

  it('counts up to 100,000 users, and 10,000 of each day', async () => {
    await addUsers(10_001);
    const statements = await statementsOf(dataSource, statistics);
    const { users, createdByDay } = await statistics(); // those that are kept

    expect(users).toEqual({ total: 10_001, active: 9_001, exact: true });
    expect(createdByDay.at(-1).count).toBe(10_000);
    const counts = statements.filter(({ sql }) => /AS total,[^]*AS active/.test(sql));
    expect(counts).toHaveLength(1);
    expect(new Set(counts[0].sql.match(/LIMIT [^)]*\)/g))).toEqual(new Set(['LIMIT (SELECT 100000)']));
  });
});
