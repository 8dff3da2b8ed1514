/**
 * @slow it fills groups with 100,000 members
 */
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner';
import { DeletedUsersService } from '../../src/users/deleted/deleted-users.service';
import { GroupsService } from '../../src/groups/groups.service';
import { sqlState } from '../../src/platform/database/errors';
import { newId } from '../../src/platform/database/id';
import { UsersService } from '../../src/users/users.service';
import { aUser } from '../support/client';
import { describeOn } from '../support/engine';
import { accessPathsOf, rowsReadBy, selectsOf } from '../support/plans';
import { startService, type TestService } from '../support/service';
import { type Statement, statementsOf } from '../support/statements';

const DEADLOCK_DETECTED = '40P01';

let service: TestService;
let groups: GroupsService;
let users: UsersService;
let deletedUsers: DeletedUsersService;

beforeAll(async () => {
  service = await startService();
  groups = service.app.get(GroupsService);
  users = service.app.get(UsersService);
  deletedUsers = service.app.get(DeletedUsersService);
});
afterAll(() => service.close());

const query = <Row = { count: number }>(sql: string, values: unknown[]): Promise<Row[]> =>
  service.dataSource.query(sql, values);
const add = (...members: string[]) => ({ kind: 'add' as const, members });
const remove = (...members: string[]) => ({ kind: 'remove' as const, members });
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

const newOrganization = async () => (await service.client()).organizationId;
const newUser = async (organizationId: string) => (await users.create(organizationId, aUser())).id;

/** So many users, without what the search keeps of them. Their ids and times are in order. */
async function fill(organizationId: string, count: number): Promise<string[]> {
  const ids = upTo(count).map((i) => `usr_0000000000${i.toString(8).padStart(16, '0')}`);
  for (let i = 0; i < count; i += 2_000)
    await query(
      `INSERT INTO users (organization_id, id, name, name_key, email, email_key, role, metadata, created_at)
       SELECT $1, id, id, id, id, id, 'member', '{}', '2026-01-01'::timestamptz + ($3 + n) * interval '1 ms' FROM unnest($2::text[]) WITH ORDINALITY AS new (id, n)`,
      [organizationId, ids.slice(i, i + 2_000), i],
    );
  return ids;
}

/** Nobody is a member who is no user, nobody is kept aside who is not deleted, and the groups count their members. */
async function expectConsistent(organizationId: string) {
  // One at a time, because a statement may take five seconds.
  for (const wrong of [
    `SELECT user_id FROM group_members AS m WHERE organization_id = $1
       AND NOT EXISTS (SELECT FROM users WHERE organization_id = $1 AND id = m.user_id)`,
    `SELECT user_id FROM deleted_group_members AS m WHERE organization_id = $1
       AND NOT EXISTS (SELECT FROM deleted_users WHERE organization_id = $1 AND id = m.user_id)`,
    `SELECT id FROM groups AS g WHERE organization_id = $1
       AND member_count <> (SELECT count(*) FROM group_members WHERE organization_id = $1 AND group_id = g.id)`,
  ])
    expect(await query(wrong, [organizationId])).toEqual([]);
}

/** A statement names at most so many groups, or members. */
const PART = 2_000;

/** How many rows each deletion of members names. */
const partsOf = (statements: readonly Statement[], table: string) =>
  statements
    .filter(({ sql }) => new RegExp(`^\\s*DELETE FROM "?${table}`).test(sql))
    .map(({ values }) => values.find((value) => Array.isArray(value))?.length)
    .filter((rows) => rows !== 0);

/** How many rows each insertion of members has. */
const insertedBy = (statements: readonly Statement[], table: string) =>
  statements
    .filter(({ sql }) => new RegExp(`^\\s*INSERT INTO "?${table}"? `).test(sql))
    .map(({ values }) => values.length / 3);

it('many users in very many groups are deleted and restored in statements of a bounded length', async () => {
  const organizationId = await newOrganization();
  const ids = (await fill(organizationId, 120)).map((id) => ({ id }));
  await query(
    `INSERT INTO groups (organization_id, id, display_name, display_name_key, member_count)
     SELECT $1, 'grp_' || n, n, n, 120 FROM generate_series(1, 300) AS n`,
    [organizationId],
  );
  await query(
    `INSERT INTO group_members (organization_id, group_id, user_id)
     SELECT $1, groups.id, users.id FROM groups, users WHERE groups.organization_id = $1 AND users.organization_id = $1`,
    [organizationId],
  );
  for (const [table, run] of [
    ['deleted_group_members', () => users.batchDelete(organizationId, { users: ids })],
    ['group_members', () => deletedUsers.batchRestore(organizationId, { users: ids })],
  ] as const) {
    const inserted = insertedBy(await statementsOf(service.dataSource, run), table);
    expect(Math.max(...inserted)).toBe(PART);
    expect(inserted.reduce((sum, count) => sum + count)).toBe(120 * 300);
    await expectConsistent(organizationId);
  }
});

it('a user in very many groups is deleted, restored and purged in statements of a bounded length', async () => {
  const organizationId = await newOrganization();
  const id = await newUser(organizationId);
  await query(
    `INSERT INTO groups (organization_id, id, display_name, display_name_key, member_count)
     SELECT $1, 'grp_' || n, n, n, 1 FROM generate_series(1, 12000) AS n`,
    [organizationId],
  );
  await query(
    `INSERT INTO group_members (organization_id, group_id, user_id) SELECT organization_id, id, $2 FROM groups WHERE organization_id = $1`,
    [organizationId, id],
  );
  const parts = Array(6).fill(PART);
  const of = (run: () => Promise<unknown>) => statementsOf(service.dataSource, run);
  const deleted = await of(() => users.delete(organizationId, id));
  expect(insertedBy(deleted, 'deleted_group_members')).toEqual(parts);
  await expectConsistent(organizationId);
  expect(await query('SELECT FROM deleted_group_members WHERE user_id = $1', [id])).toHaveLength(12_000);
  const restored = await of(() => deletedUsers.restore(organizationId, id));
  expect(insertedBy(restored, 'group_members')).toEqual(parts);
  await expectConsistent(organizationId);
  expect(await query('SELECT FROM group_members WHERE user_id = $1', [id])).toHaveLength(12_000);
  await users.delete(organizationId, id);
  const purged = await of(() => deletedUsers.purge(organizationId, id));
  expect(partsOf(purged, 'deleted_group_members')).toHaveLength(parts.length);
  expect(await query('SELECT FROM deleted_group_members WHERE user_id = $1', [id])).toEqual([]);
});

it('a group with very many members is deleted in statements of a bounded length', async () => {
  const organizationId = await newOrganization();
  const { id } = await groups.create(organizationId, { displayName: 'Large' });
  await query(
    `INSERT INTO group_members (organization_id, group_id, user_id)
     SELECT $1, $2, 'usr_' || lpad(n::text, 26, '0') FROM generate_series(1, 12000) AS n`,
    [organizationId, id],
  );
  const statements = await statementsOf(service.dataSource, () => groups.delete(organizationId, id));
  expect(partsOf(statements, 'group_members')).toEqual(Array(6).fill(PART));
  expect(await query('SELECT FROM group_members WHERE group_id = $1', [id])).toEqual([]);
});

it('a change of very many members is written in statements of a bounded length, and has its events in order', async () => {
  const organizationId = await newOrganization();
  const people = await fill(organizationId, 4_500);
  const { id } = await groups.create(organizationId, { displayName: 'A' });
  for (const [kind, members] of [
    ['added', people],
    ['removed', []],
  ] as const) {
    const statements = await statementsOf(service.dataSource, () =>
      groups.change(organizationId, id, [{ kind: 'replace', members }]),
    );
    const rowsOf = (table: string, columns: number) =>
      statements
        .filter(({ sql }) => new RegExp(`^\\s*INSERT INTO "?${table}"?\\s`).test(sql))
        .map(({ values }) => values.length / columns);
    expect(rowsOf('events', 10)).toEqual(Array(9).fill(500));
    expect(rowsOf('group_members', 3)).toEqual(kind === 'added' ? [PART, PART, 500] : []);
    const events = await query<{ user: string }>(
      `SELECT data #>> '{user,id}' AS user FROM events WHERE organization_id = $1 AND type = $2 ORDER BY position`,
      [organizationId, `group.member_${kind}`],
    );
    expect(events.map(({ user }) => user)).toEqual(people);
  }
});

/** Counts the statements that the server ends because of a deadlock, until the returned function is called. */
function countDeadlocks(): () => number {
  const { query } = PostgresQueryRunner.prototype;
  let count = 0;
  const spy = jest.spyOn(PostgresQueryRunner.prototype, 'query').mockImplementation(function (
    this: PostgresQueryRunner,
    ...args
  ) {
    return query.apply(this, args).catch((error: unknown) => {
      if (sqlState(error) === DEADLOCK_DETECTED) count++;
      throw error;
    });
  });
  return () => {
    spy.mockRestore();
    return count;
  };
}

const countEvents = async (organizationId: string, type: string, target: string) =>
  (
    await query(
      'SELECT count(*)::int AS count FROM events WHERE organization_id = $1 AND type = $2 AND target_id = $3',
      [organizationId, type, target],
    )
  )[0].count;

describeOn('postgres', 'many at once', () => {
  it('make one group of one name, in whatever letter case', async () => {
    const organizationId = await newOrganization();
    const names = upTo(50).map((i) =>
      [...'engineering'].map((c, at) => ((i >> (at % 6)) & 1 ? c.toUpperCase() : c)).join(''),
    );
    const results = await Promise.allSettled(
      names.map((displayName) => groups.create(organizationId, { displayName })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ status: 409 });
  });

  it('add one member once, with one event', async () => {
    const organizationId = await newOrganization();
    const user = await newUser(organizationId);
    const { id } = await groups.create(organizationId, { displayName: 'A' });
    // Instances have queues of their own, as replicas have.
    const replicas = upTo(10).map(() => new GroupsService(groups['database']));
    await Promise.all(replicas.map((replica) => replica.change(organizationId, id, [add(user)])));
    expect(await groups.get(organizationId, id)).toMatchObject({ version: 2, memberCount: 1 });
    expect(await countEvents(organizationId, 'group.member_added', id)).toBe(1);
    await Promise.all(replicas.map((replica) => replica.change(organizationId, id, [remove(user)])));
    expect(await groups.get(organizationId, id)).toMatchObject({ version: 3, memberCount: 0 });
    expect(await countEvents(organizationId, 'group.member_removed', id)).toBe(1);
  });

  it('change members of several groups while users are deleted, restored and purged', async () => {
    const organizationId = await newOrganization();
    const people: string[] = [];
    for (let i = 0; i < 8; i++) people.push(await newUser(organizationId));
    const ids: string[] = [];
    for (const displayName of ['A', 'B', 'C', 'D'])
      ids.push((await groups.create(organizationId, { displayName }, people)).id);
    const replicas = upTo(4).map(() => new GroupsService(groups['database']));
    const ignore = (error: unknown) => expect([400, 404]).toContain((error as { status: number }).status);
    const deadlocks = countDeadlocks();
    for (let round = 0; round < 12; round++)
      await Promise.all([
        ...replicas.flatMap((replica, i) =>
          ids.map((id, j) => {
            const [one, other] = [people[(i + j + round) % 7], people[(i * 3 + j) % 7]];
            const steps = (round + i) % 2 ? [add(other, one)] : [remove(one, other)];
            return replica.change(organizationId, id, steps).then(() => {}, ignore);
          }),
        ),
        users.delete(organizationId, people[round % 7]).catch(ignore),
        users.delete(organizationId, people[(round + 3) % 7]).catch(ignore),
        deletedUsers.restore(organizationId, people[(round + 6) % 7]).then(() => {}, ignore),
        deletedUsers.restore(organizationId, people[(round + 1) % 7]).then(() => {}, ignore),
      ]);
    await expectConsistent(organizationId);
    await groups.delete(organizationId, ids[0]);
    for (const id of people) await deletedUsers.purge(organizationId, id).catch(ignore);
    await expectConsistent(organizationId);
    expect(
      await query('SELECT FROM deleted_group_members WHERE organization_id = $1', [organizationId]),
    ).toEqual([]);
    expect(deadlocks()).toBe(0);
  });

  it('never leave a member who was deleted at that moment', async () => {
    const organizationId = await newOrganization();
    const { id } = await groups.create(organizationId, { displayName: 'A' });
    for (let i = 0; i < 20; i++) {
      const user = await newUser(organizationId);
      await Promise.allSettled([
        groups.change(organizationId, id, [add(user)]),
        users.delete(organizationId, user),
      ]);
    }
    await expectConsistent(organizationId);
  });
});

describeOn('postgres', 'a group of 100,000 members', () => {
  const COUNT = 100_000;
  const TAIL = 12_000;
  let organizationId: string;
  let people: string[];
  let large: string;
  let tail: string;
  let small: string;
  let stranger: string;

  beforeAll(async () => {
    organizationId = await newOrganization();
    people = await fill(organizationId, COUNT);
    stranger = await newUser(organizationId);
    const filled = async (displayName: string, members: string[]) => {
      const { id } = await groups.create(organizationId, { displayName });
      for (let from = 0; from < members.length; from += 10_000)
        await query(`INSERT INTO group_members SELECT $1, $2, unnest($3::text[])`, [
          organizationId,
          id,
          members.slice(from, from + 10_000),
        ]);
      await query(`UPDATE groups SET member_count = $3 WHERE organization_id = $1 AND id = $2`, [
        organizationId,
        id,
        members.length,
      ]);
      return id;
    };
    large = await filled('large', people);
    tail = await filled('tail', people.slice(-TAIL));
    small = await filled('small', people.slice(0, 10));
  });

  it('is changed by the statements, and along the indexes, that change a small one', async () => {
    const changed = async (id: string, step: Parameters<GroupsService['change']>[2][0]) => {
      const statements = await statementsOf(service.dataSource, () =>
        groups.change(organizationId, id, [step]),
      );
      const own = statements.filter(({ sql }) => /group/.test(sql) && !/^(START|COMMIT)/.test(sql));
      return accessPathsOf(service.dataSource, own);
    };
    for (const analyzed of [false, true]) {
      if (analyzed) await service.dataSource.query('ANALYZE');
      for (const step of [add(stranger), remove(stranger)]) {
        const paths = await changed(large, step);
        expect(paths).toEqual(await changed(small, step));
        expect(paths.flat().filter((path) => path.startsWith('all of group_members'))).toEqual([]);
      }
    }
  });

  it('shows its first 1,000 members, and reads no others', async () => {
    const statements = await selectsOf(service.dataSource, async () => {
      const shown = (await groups.membersOf(organizationId, [large])).get(large)!;
      expect(shown.map(({ id }) => id)).toEqual(people.slice(0, 1_000));
    });
    expect(await rowsReadBy(service.dataSource, statements)).toBeLessThanOrEqual(2_000);
    const lists = await selectsOf(service.dataSource, () =>
      groups.membersOf(organizationId, [large, small], 100),
    );
    expect(await rowsReadBy(service.dataSource, lists)).toBeLessThanOrEqual(300);
    const own = await selectsOf(service.dataSource, () => groups.groupsOf(organizationId, people[0]));
    expect(await rowsReadBy(service.dataSource, own)).toBeLessThanOrEqual(20);
  });

  it('is listed page by page, in every sort', async () => {
    for (const sort of ['createdAt', 'updatedAt', 'name', 'email'] as const)
      for (const order of ['asc', 'desc'] as const)
        for (const filter of [{}, { role: 'member' as const }, { active: true }]) {
          const page = { sort, order, group: large, limit: 50, ...filter };
          const statements = await selectsOf(service.dataSource, () => users.list(organizationId, page));
          const parts = 'active' in filter ? 3 : 'role' in filter ? 2 : 1;
          expect(await rowsReadBy(service.dataSource, statements)).toBeLessThanOrEqual(300 * parts);
        }
  });

  it('whose members come last in the list is sorted, within bounds, and walked without a gap', async () => {
    for (const sort of ['createdAt', 'name'] as const) {
      const walked: string[] = [];
      let cursor: string | undefined;
      for (let i = 0; i < 3; i++) {
        const page = { sort, order: 'asc' as const, group: tail, limit: 200, cursor };
        const statements = await selectsOf(service.dataSource, async () => {
          const { data, nextCursor } = await users.list(organizationId, page);
          walked.push(...data.map(({ id }) => id));
          cursor = nextCursor!;
        });
        expect(await rowsReadBy(service.dataSource, statements)).toBeLessThanOrEqual(2 * 20_000 + 3 * TAIL);
      }
      expect(walked).toEqual(people.slice(-TAIL).slice(0, 600));
    }
  });

  it('keeps the others where a PUT has the members that it shows, and loses them where it has others', async () => {
    const shown = people.slice(0, 1_000);
    const put = (members: string[]) =>
      groups.change(organizationId, large, [{ kind: 'replaceShown', members }]);
    const before = await groups.get(organizationId, large);
    expect(await put(shown)).toEqual({ ...before, movedMembers: 0 });
    const after = await put([...shown.slice(1), stranger]);
    expect(after).toMatchObject({ version: before.version + 1, memberCount: 1_000 });
    await expectConsistent(organizationId);
    const removed = await countEvents(organizationId, 'group.member_removed', large);
    expect(removed).toBeGreaterThanOrEqual(COUNT - 999);
    // What a body of a megabyte can name.
    expect(await put(people.slice(0, 25_000))).toMatchObject({ memberCount: 25_000 });
    await expect(put([...people.slice(0, 25_000), newId('usr')])).rejects.toMatchObject({ status: 400 });
    await groups.delete(organizationId, large);
    await expectConsistent(organizationId);
  });
});
