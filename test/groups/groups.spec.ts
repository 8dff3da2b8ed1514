import type { Response } from 'supertest';
import { GroupsService } from '../../src/groups/groups.service';
import { newId } from '../../src/platform/database/id';
import { aUser, type Client } from '../support/client';
import { useService } from '../support/service';
import { ownStatementsOf } from '../support/statements';

const service = useService();
let groups: GroupsService;
beforeAll(() => void (groups = service.app.get(GroupsService)));

const add = (...members: string[]) => ({ kind: 'add' as const, members });
const remove = (...members: string[]) => ({ kind: 'remove' as const, members });
const replace = (...members: string[]) => ({ kind: 'replace' as const, members });
const rename = (value: string) => ({ kind: 'set' as const, attribute: 'displayName' as const, value });

/** An organization with so many users. */
async function people(count = 3) {
  const api = await service.client();
  const users: string[] = [];
  for (let i = 0; i < count; i++)
    users.push((await api.post('/api/v1/users').send(aUser()).expect(201)).body.id);
  return { api, organizationId: api.organizationId, users };
}

const eventsOf = async (api: Client, query = '') =>
  (await api.get(`/api/v1/events?limit=200&${query}`).expect(200)).body.data as {
    type: string;
    target: { type: string; id: string };
    data: { group: object; user?: { id: string }; previous?: object };
  }[];

const typesOf = async (api: Client, id: string) =>
  (await eventsOf(api, `target=${id}`)).map(({ type, data }) =>
    [type, data.user?.id].filter(Boolean).join(' '),
  );

const membersIn = async (api: Client, group: string, query = '') =>
  (await api.get(`/api/v1/users?group=${group}${query}`).expect(200)).body.data.map(
    ({ id }: { id: string }) => id,
  ) as string[];

describe('GroupsService.create', () => {
  it('makes a group with members, and tells of it and then of each of them', async () => {
    const { api, organizationId, users } = await people();
    const group = await groups.create(organizationId, { displayName: ' Sales ', externalId: 'e-1' }, users);
    expect(group).toEqual({
      id: expect.stringMatching(/^grp_[0-9a-z]{26}$/),
      displayName: 'Sales',
      externalId: 'e-1',
      memberCount: 3,
      version: 1,
      createdAt: expect.any(Date),
      updatedAt: expect.any(Date),
    });
    const { body } = await api.get(`/api/v1/groups/${group.id}`).expect(200);
    const { version: _version, ...shown } = group;
    expect(body).toEqual(JSON.parse(JSON.stringify(shown)));
    const events = await eventsOf(api, `target=${group.id}`);
    expect(events.map(({ type }) => type)).toEqual([
      'group.created',
      ...users.map(() => 'group.member_added'),
    ]);
    expect(events[0]).toMatchObject({ target: { type: 'group', id: group.id }, data: { group: body } });
    expect(events.slice(1).map(({ data }) => data)).toEqual(
      [...users].sort().map((id) => ({ group: { id: group.id, displayName: 'Sales' }, user: { id } })),
    );
  });

  it('refuses a name that is taken in another letter case, and keeps accents apart', async () => {
    const { organizationId } = await people(0);
    await groups.create(organizationId, { displayName: 'Café Ω' });
    await expect(groups.create(organizationId, { displayName: 'CAFÉ ω' })).rejects.toMatchObject({
      status: 409,
      response: { errors: [{ field: 'displayName', code: 'taken' }] },
    });
    await groups.create(organizationId, { displayName: 'Cafe Ω' });
    await groups.create((await people(0)).organizationId, { displayName: 'Café Ω' });
  });

  it('names the positions of members who are no users, and makes nothing', async () => {
    const { api, organizationId, users } = await people(1);
    const { users: strangers } = await people(1);
    const members = [users[0], strangers[0], 'x', newId('usr'), users[0], 'usr_\0'];
    await expect(groups.create(organizationId, { displayName: 'A' }, members)).rejects.toMatchObject({
      status: 400,
      response: { errors: ['1', '2', '3', '5'].map((i) => ({ field: `members.${i}`, code: 'invalid' })) },
    });
    expect((await api.get('/api/v1/groups').expect(200)).body.data).toEqual([]);
  });

  it('refuses a name that is empty, too long or no text, and takes the longest one and any external id', async () => {
    const { organizationId } = await people(0);
    const create = (displayName: unknown, externalId?: string) =>
      groups.create(organizationId, { displayName: displayName as string, externalId });
    for (const [name, code] of [
      ['', 'too_short'],
      ['x'.repeat(257), 'too_long'],
      ['x\0', 'invalid'],
      [7, 'invalid'],
    ])
      await expect(create(name)).rejects.toMatchObject({
        response: { errors: [{ field: 'displayName', code }] },
      });
    const longest = '\u{1d15e}'.repeat(256);
    const various = Array.from({ length: 9_000 }, (_, i) =>
      String.fromCodePoint(0x4e00 + ((i * 7919) % 20_000)),
    );
    await create(longest, various.join(''));
    await expect(create(longest)).rejects.toMatchObject({ status: 409 });
  });
});

describe('GroupsService.change', () => {
  it('adds and removes members, and tells only of those that came and went', async () => {
    const { api, organizationId, users } = await people();
    const { id } = await groups.create(organizationId, { displayName: 'A' }, users.slice(0, 2));
    const added = await groups.change(organizationId, id, [add(users[1], users[2], users[2])]);
    expect(added).toMatchObject({ version: 2, memberCount: 3, movedMembers: 1 });
    expect(await groups.change(organizationId, id, [add(...users), remove(newId('usr'), 'x')])).toEqual({
      ...added,
      movedMembers: 0,
    });
    expect(await groups.change(organizationId, id, [remove(users[0], users[0])])).toMatchObject({
      version: 3,
      memberCount: 2,
    });
    expect((await typesOf(api, id)).slice(3)).toEqual([
      `group.member_added ${users[2]}`,
      `group.member_removed ${users[0]}`,
    ]);
  });

  it('takes all steps or none', async () => {
    const { api, organizationId, users } = await people();
    const before = await groups.create(organizationId, { displayName: 'A' }, [users[0]]);
    const steps = [rename('B'), remove(users[0]), add(users[1], newId('usr'))];
    await expect(groups.change(organizationId, before.id, steps)).rejects.toMatchObject({
      response: { errors: [{ field: 'steps.2.members.1', code: 'invalid' }] },
    });
    expect(await groups.get(organizationId, before.id)).toEqual(before);
    expect(await typesOf(api, before.id)).toHaveLength(2);
  });

  it('writes what all steps together change', async () => {
    const { api, organizationId, users } = await people(4);
    const { id } = await groups.create(organizationId, { displayName: 'A' }, users.slice(0, 2));
    const back = [
      remove(users[0]),
      add(users[0], users[2]),
      remove(users[2]),
      replace(),
      add(users[0], users[1]),
    ];
    expect(await groups.change(organizationId, id, back)).toMatchObject({ version: 1, memberCount: 2 });
    const steps = [rename('B'), { kind: 'removeAll' as const }, add(users[3]), rename('C'), add(users[1])];
    const after = await groups.change(organizationId, id, steps);
    expect(after).toMatchObject({ displayName: 'C', version: 2, memberCount: 2 });
    expect((await typesOf(api, id)).slice(3)).toEqual([
      'group.updated',
      `group.member_removed ${users[0]}`,
      `group.member_added ${users[3]}`,
    ]);
    const [updated] = await eventsOf(api, 'type=group.updated');
    expect(updated.data).toMatchObject({ group: { displayName: 'C' }, previous: { displayName: 'A' } });
    expect(Object.keys(updated.data.previous!)).toEqual(['displayName']);
  });

  it('refuses a version that the precondition refuses, and changes nothing', async () => {
    const { organizationId, users } = await people(1);
    const before = await groups.create(organizationId, { displayName: 'A' });
    const refuse = () => {
      throw new Error('another version');
    };
    await expect(groups.change(organizationId, before.id, [add(...users)], refuse)).rejects.toThrow(
      'another',
    );
    await expect(groups.delete(organizationId, before.id, refuse)).rejects.toThrow('another');
    expect(await groups.get(organizationId, before.id)).toEqual(before);
  });

  it('removes an external id, and leaves what stays as it is', async () => {
    const { organizationId } = await people(0);
    const { id } = await groups.create(organizationId, { displayName: 'A', externalId: 'e' });
    const set = { kind: 'set' as const, attribute: 'externalId' as const, value: null };
    const after = await groups.change(organizationId, id, [set, rename('A')]);
    expect(after).toMatchObject({ externalId: null, version: 2 });
    expect(await groups.change(organizationId, id, [set, rename('A')])).toEqual(after);
    const nothing = { ...rename('A'), value: null };
    await expect(groups.change(organizationId, id, [nothing])).rejects.toMatchObject({ status: 400 });
  });

  it('refuses a name of another group, and takes its own in another letter case', async () => {
    const { organizationId } = await people(0);
    await groups.create(organizationId, { displayName: 'A' });
    const { id } = await groups.create(organizationId, { displayName: 'B' });
    await expect(groups.change(organizationId, id, [rename('a')])).rejects.toMatchObject({ status: 409 });
    expect(await groups.change(organizationId, id, [rename('b')])).toMatchObject({
      displayName: 'b',
      version: 2,
    });
  });

  it('sends the same statements for sixty steps as for one, and for a member of a large group as of a small one', async () => {
    const { organizationId, users } = await people(60);
    const { id } = await groups.create(organizationId, { displayName: 'A' });
    const count = async (...steps: Parameters<typeof groups.change>[2]) =>
      (await ownStatementsOf(service.dataSource, () => groups.change(organizationId, id, steps))).length;
    const one = await count(add(users[0]));
    expect(await count(...users.slice(1).map((user) => add(user)))).toBe(one);
    expect(await count(remove(users[0]))).toBeLessThanOrEqual(one + 1);
  });
});

describe('a deleted user', () => {
  it('is in no list and no count, and back after a restore, while the groups stay as they were', async () => {
    const { api, organizationId, users } = await people();
    const before = await groups.create(organizationId, { displayName: 'A' }, users);
    const { id } = before;
    await api.delete(`/api/v1/users/${users[0]}`).expect(204);
    expect(await groups.get(organizationId, id)).toEqual({ ...before, memberCount: 2 });
    expect((await membersIn(api, id)).sort()).toEqual(users.slice(1).sort());
    expect((await groups.membersOf(organizationId, [id])).get(id)).toHaveLength(2);
    expect((await api.get(`/api/v1/groups?user=${users[0]}`).expect(200)).body.data).toEqual([]);
    await expect(groups.change(organizationId, id, [add(users[0])])).rejects.toMatchObject({ status: 400 });
    await api.post(`/api/v1/deleted-users/${users[0]}/restore`).expect(200);
    expect(await groups.get(organizationId, id)).toEqual(before);
    expect(await groups.groupsOf(organizationId, users[0])).toEqual([{ id, displayName: 'A' }]);
    expect(await typesOf(api, id)).toHaveLength(4);
  });

  it('stays with a list of the others, and goes with another list or by its id', async () => {
    const { api, organizationId, users } = await people(4);
    const made = async (displayName: string) =>
      (await groups.create(organizationId, { displayName }, users.slice(0, 3))).id;
    const [same, other, named, emptied] = [
      await made('1'),
      await made('2'),
      await made('3'),
      await made('4'),
    ];
    await api.delete(`/api/v1/users/${users[0]}`).expect(204);
    expect(await groups.change(organizationId, same, [replace(users[1], users[2])])).toMatchObject({
      version: 1,
    });
    await groups.change(organizationId, other, [replace(users[1], users[3])]);
    const after = await groups.change(organizationId, named, [remove(users[0])]);
    expect(after).toMatchObject({ version: 2, memberCount: 2 });
    await groups.change(organizationId, emptied, [{ kind: 'removeAll' }]);
    await api.post(`/api/v1/deleted-users/${users[0]}/restore`).expect(200);
    const left = await groups.groupsOf(organizationId, users[0]);
    expect(left.map(({ id }) => id)).toEqual([same]);
    expect((await typesOf(api, named)).at(-1)).toBe(`group.member_removed ${users[0]}`);
    expect(await groups.get(organizationId, emptied)).toMatchObject({ memberCount: 0 });
  });

  it('leaves no membership behind when it is purged', async () => {
    const { api, organizationId, users } = await people(1);
    const { id } = await groups.create(organizationId, { displayName: 'A' }, users);
    await api.delete(`/api/v1/users/${users[0]}`).expect(204);
    await api.delete(`/api/v1/deleted-users/${users[0]}`).expect(204);
    for (const table of ['group_members', 'deleted_group_members'])
      expect(await service.dataSource.query(`SELECT FROM ${table} WHERE user_id = $1`, [users[0]])).toEqual(
        [],
      );
    expect(await groups.get(organizationId, id)).toMatchObject({ memberCount: 0, version: 1 });
    // Of what a directory did, the id is left, as in the events of the user itself.
    expect(await typesOf(api, id)).toEqual(['group.created', `group.member_added ${users[0]}`]);
  });
});

describe('GroupsService.delete', () => {
  it('deletes a group and its memberships, once, with one event', async () => {
    const { api, organizationId, users } = await people();
    const { id } = await groups.create(organizationId, { displayName: 'A' }, users);
    await api.delete(`/api/v1/users/${users[0]}`).expect(204);
    await groups.delete(organizationId, id);
    await expect(groups.delete(organizationId, id)).rejects.toMatchObject({ status: 404 });
    await api.get(`/api/v1/groups/${id}`).expect(404);
    await api.post(`/api/v1/deleted-users/${users[0]}/restore`).expect(200);
    expect(await membersIn(api, id)).toEqual([]);
    for (const table of ['group_members', 'deleted_group_members'])
      expect(await service.dataSource.query(`SELECT FROM ${table} WHERE group_id = $1`, [id])).toEqual([]);
    expect((await typesOf(api, id)).slice(4)).toEqual(['group.deleted']);
    await groups.create(organizationId, { displayName: 'A' });
  });
});

describe('GET /api/v1/groups', () => {
  it('lists the groups by name, page by page', async () => {
    const { api, organizationId } = await people(0);
    for (const displayName of ['beta', 'Alpha', 'gamma'])
      await groups.create(organizationId, { displayName });
    const names: string[] = [];
    let path: string | undefined = '/api/v1/groups?limit=2';
    while (path) {
      const { body, headers }: Response = await api.get(path).expect(200);
      names.push(...body.data.map(({ displayName }: { displayName: string }) => displayName));
      path = headers.link && /<(.*)>/.exec(headers.link as string)![1];
    }
    expect(names).toEqual(['Alpha', 'beta', 'gamma']);
  });

  it('finds by exact name and by member', async () => {
    const { api, organizationId, users } = await people(2);
    const a = await groups.create(organizationId, { displayName: 'Alpha' }, [users[0]]);
    const b = await groups.create(organizationId, { displayName: 'Beta' }, users);
    const ids = async (query: string) =>
      (await api.get(`/api/v1/groups?${query}`).expect(200)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids('displayName=ALPHA')).toEqual([a.id]);
    expect(await ids('displayName=Alph')).toEqual([]);
    expect(await ids(`user=${users[0]}`)).toEqual([a.id, b.id]);
    expect(await ids(`user=${users[1]}`)).toEqual([b.id]);
    expect(await ids(`user=${users[1]}&displayName=alpha`)).toEqual([]);
    expect(await ids(`user=${users[0]}&displayName=alpha`)).toEqual([a.id]);
    expect(await ids(`user=${newId('usr')}`)).toEqual([]);
    for (const query of ['user=x', 'name=x', 'displayName=', 'limit=0', `user=${a.id}`])
      await api.get(`/api/v1/groups?${query}`).expect(400);
  });

  it('shows nothing of another organization', async () => {
    const { api, organizationId, users } = await people(1);
    const group = await groups.create(organizationId, { displayName: 'Alpha' }, users);
    const other = await service.client();
    await other.get(`/api/v1/groups/${group.id}`).expect(404);
    expect((await other.get('/api/v1/groups').expect(200)).body.data).toEqual([]);
    expect((await other.get(`/api/v1/groups?user=${users[0]}`).expect(200)).body.data).toEqual([]);
    expect(await membersIn(other, group.id)).toEqual([]);
    expect(await groups.membersOf(other.organizationId, [group.id])).toEqual(new Map([[group.id, []]]));
    await expect(groups.change(other.organizationId, group.id, [remove(users[0])])).rejects.toMatchObject({
      status: 404,
    });
    await expect(groups.delete(other.organizationId, group.id)).rejects.toMatchObject({ status: 404 });
    expect(await membersIn(api, group.id)).toEqual(users);
  });
});

describe('GET /api/v1/users?group=', () => {
  it('walks the members in every sort', async () => {
    const { api, organizationId, users } = await people(7);
    const { id } = await groups.create(organizationId, { displayName: 'A' }, users.slice(2));
    for (const sort of ['createdAt', 'updatedAt', 'name', 'email']) {
      const { body: all } = await api.get(`/api/v1/users?sort=${sort}`).expect(200);
      const walked: string[] = [];
      let cursor = '';
      do {
        const { body } = await api.get(`/api/v1/users?group=${id}&sort=${sort}&limit=2${cursor}`).expect(200);
        walked.push(...body.data.map(({ id }: { id: string }) => id));
        cursor = body.nextCursor && `&cursor=${body.nextCursor}`;
      } while (cursor);
      const members = all.data
        .map(({ id }: { id: string }) => id)
        .filter((id: string) => users.indexOf(id) >= 2);
      expect([sort, ...walked]).toEqual([sort, ...members]);
    }
  });

  it('goes with the other filters, and its cursor belongs to it', async () => {
    const { api, organizationId, users } = await people(3);
    const { id } = await groups.create(organizationId, { displayName: 'A' }, users);
    await api.patch(`/api/v1/users/${users[1]}`).send({ role: 'admin' }).expect(200);
    expect(await membersIn(api, id, '&role=admin')).toEqual([users[1]]);
    const { body: user } = await api.get(`/api/v1/users/${users[2]}`).expect(200);
    expect(await membersIn(api, id, `&email=${encodeURIComponent(user.email)}`)).toEqual([users[2]]);
    const { body } = await api.get(`/api/v1/users?group=${id}&limit=1`).expect(200);
    await api.get(`/api/v1/users?limit=1&cursor=${body.nextCursor}`).expect(400);
    await api.get(`/api/v1/users?group=x`).expect(400);
    expect(await membersIn(api, newId('grp'))).toEqual([]);
  });
});
