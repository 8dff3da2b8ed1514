import { GroupsService } from '../../src/groups/groups.service';
import { TokensService } from '../../src/tokens/tokens.service';
import { UsersService } from '../../src/users/users.service';
import { runJob } from '../support/background';
import { aUser } from '../support/client';
import { useApi } from '../support/service';

const { service, api } = useApi({ RATE_LIMIT_PER_MINUTE: '100000' });

interface EventBody {
  id: string;
  sequence: number;
  type: string;
  target: { id: string };
  data: Record<string, object>;
}
const get = async (query = '') => (await api.get(`/api/v1/events${query}`).expect(200)).body;
const events = async (query = ''): Promise<EventBody[]> => (await get(query)).data;
const sequences = (list: EventBody[]) => list.map(({ sequence }) => sequence);

/** The events of users, which are what most tests are about. */
const userEvents = () => events('?type=user.created,user.updated,user.deleted');

describe('an event', () => {
  it('tells of a create, as the API shows the user', async () => {
    const user = await api.createUser({ metadata: { b: 1, a: [5e-324, { c: null }] } });
    const [event] = await userEvents();
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_[0-7][0-9a-z]{25}$/),
      sequence: 2,
      type: 'user.created',
      occurredAt: user.createdAt,
      source: 'api',
      actor: { type: 'token', id: api.tokenId, name: 'Test' },
      target: { type: 'user', id: user.id },
      requestId: expect.any(String),
      onBehalfOf: null,
      data: { user },
    });
    expect(JSON.stringify(event.data.user)).toBe(JSON.stringify(user));
    expect((await api.get(`/api/v1/events/${event.id}`).expect(200)).body).toEqual(event);
  });

  it('tells of an update with the former values of the changed fields', async () => {
    const user = await api.createUser({ role: 'member', metadata: { plan: 'free' } });
    const changes = { name: user.name, role: 'admin', active: false, metadata: { plan: 'pro' } };
    const { body: changed } = await api
      .patch(`/api/v1/users/${user.id}`, changes)
      .set('X-Request-ID', 'change-1')
      .expect(200);
    const [, event] = await userEvents();
    expect(event).toMatchObject({ type: 'user.updated', requestId: 'change-1' });
    const previous = { role: 'member', active: true, metadata: { plan: 'free' } };
    expect(event.data).toEqual({ user: changed, previous });
  });

  it('tells of a delete with the user as it was last', async () => {
    const user = await api.createUser();
    const { body: changed } = await api.patch(`/api/v1/users/${user.id}`, { role: 'viewer' }).expect(200);
    await api.delete(`/api/v1/users/${user.id}`).expect(204);
    const [, , event] = await userEvents();
    expect([event.type, event.data]).toEqual(['user.deleted', { user: changed }]);
  });

  it('tells of tokens, and never has a value', async () => {
    const { body } = await api
      .post('/v1/tokens', { name: 'Nightly sync', scopes: ['users:read'], expiresIn: '90d' })
      .expect(201);
    const { token: value, ...created } = body;
    await api.delete(`/v1/tokens/${created.id}`).expect(204);
    await api.delete(`/v1/tokens/${created.id}`).expect(204); // changes nothing
    const { body: revoked } = await api.get(`/v1/tokens/${created.id}`).expect(200);
    const list = await events(`?target=${created.id}`);
    expect(list.map(({ type, data }) => [type, data])).toEqual([
      ['token.created', { token: created }],
      ['token.revoked', { token: revoked }],
    ]);
    expect(list[1]).toMatchObject({
      occurredAt: revoked.revokedAt,
      target: { type: 'token', id: created.id },
    });
    expect(JSON.stringify(await events())).not.toContain(value);
    const [{ kept }] = await service.dataSource.query(
      `SELECT string_agg(events::text, '') AS kept FROM events WHERE organization_id = $1`,
      [api.organizationId],
    );
    expect(kept).not.toMatch(/umt_[0-9A-Za-z]{38}|hash/);
  });

  it('names the application, if that made the change', async () => {
    const { organizationId } = api;
    const user = await service.app.get(UsersService, { strict: false }).create(organizationId, aUser());
    const tokens = service.app.get(TokensService, { strict: false });
    const { token } = await tokens.create(organizationId, { name: 'Made', scopes: ['users:read'] });
    for (const [target, type] of [
      [user.id, 'user.created'],
      [token.id, 'token.created'],
    ])
      expect((await events(`?target=${target}`))[0]).toMatchObject({
        type,
        source: 'application',
        actor: { type: 'system', id: null, name: 'application' },
        requestId: null,
      });
  });

  it('is not there for what changed nothing', async () => {
    const user = await api.createUser();
    const before = (await events()).length;
    const path = `/api/v1/users/${user.id}`;
    await api.patch(path, { role: 'member', name: user.name }).expect(200);
    await api.patch(path, {}).expect(200);
    await api.post('/api/v1/users', aUser({ email: user.email })).expect(409);
    await api.patch(path, { name: '' }).expect(400);
    await api.patch(path, { role: 'admin' }).set('If-Match', '"7"').expect(412);
    await api.delete(path).set('If-Match', '"7"').expect(412);
    const other = await api.createUser();
    await api.patch(path, { email: other.email }).expect(409);
    const create = () => api.post('/api/v1/users', same).set('Idempotency-Key', 'k').expect(201);
    const same = aUser();
    await create();
    await create();
    expect((await events()).length).toBe(before + 2);
  });

  it('that is not there is a 404', async () => {
    for (const id of ['evt_', 'evt_00000000000000000000000000', 'nobody'])
      await api.get(`/api/v1/events/${id}`).expect(404);
  });
});

describe('GET /api/v1/events', () => {
  it('is a feed: it goes on behind the cursor, which is never null', async () => {
    await api.createUser();
    const first = await api.get('/api/v1/events?limit=1').expect(200);
    expect(sequences(first.body.data)).toEqual([1]);
    expect(first.headers.link).toContain(encodeURIComponent(first.body.nextCursor));
    let { body, headers } = await api
      .get(`/api/v1/events?limit=1&cursor=${first.body.nextCursor}`)
      .expect(200);
    expect([sequences(body.data), headers.link]).toEqual([[2], undefined]);
    for (let n = 3; n < 6; n++) {
      const empty = await get(`?cursor=${body.nextCursor}`);
      expect(empty).toEqual({ data: [], nextCursor: expect.any(String) });
      await api.createUser();
      ({ body, headers } = await api.get(`/api/v1/events?cursor=${empty.nextCursor}`).expect(200));
      expect([sequences(body.data), headers.link]).toEqual([[n], undefined]);
    }
  });

  it('is a history in descending order, which ends', async () => {
    await Promise.all(Array.from({ length: 9 }, () => api.createUser()));
    const seen: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const path: string = `/api/v1/events?order=desc&limit=5${cursor && `&cursor=${cursor}`}`;
      const { body, headers } = await api.get(path).expect(200);
      seen.push(...sequences(body.data));
      cursor = body.nextCursor;
      expect(headers.link === undefined).toBe(cursor === null);
    }
    expect(seen).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it('filters by type, target, actor and time', async () => {
    const user = await api.createUser();
    const { organizationId } = api;
    const second = await service.client({ organizationId });
    const { body } = await second.patch(`/api/v1/users/${user.id}`, { role: 'admin' }).expect(200);
    const types = async (query: string) => (await events(query)).map(({ type }) => type);
    expect(await types('?type=user.updated')).toEqual(['user.updated']);
    expect(await types('?type=user.updated,token.created')).toEqual([
      'token.created',
      'token.created',
      'user.updated',
    ]);
    expect(await types(`?target=${user.id}&order=desc`)).toEqual(['user.updated', 'user.created']);
    expect(await types(`?actor=${second.tokenId}`)).toEqual(['user.updated']);
    expect(await types(`?since=${body.updatedAt}`)).toContain('user.updated');
    expect(await types(`?until=${body.updatedAt}`)).not.toContain('user.updated');
    expect(await types('?until=2020-01-01T00:00:00%2B02:00')).toEqual([]);
    expect(await types('?since=2020-01-01&type=user.updated')).toEqual(['user.updated']);
    expect(await types('?until=2020-01-01')).toEqual([]);
    const setTime = `UPDATE events SET occurred_at = $2 WHERE organization_id = $1 AND type = 'user.updated'`;
    for (const [time, since, until] of [
      ['2026-01-30T23:59:59.999Z', [], ['user.updated']],
      ['2026-01-31T00:00:00.000Z', ['user.updated'], []],
    ] as const) {
      await service.dataSource.query(setTime, [organizationId, time]);
      expect(await types('?since=2026-01-31&type=user.updated')).toEqual(since);
      expect(await types('?until=2026-01-31&type=user.updated')).toEqual(until);
    }
    const { nextCursor: dated } = await get('?since=2026-01-31');
    await api.get(`/api/v1/events?since=2026-01-31T00:00:00.000Z&cursor=${dated}`).expect(200);
    // A filter is a part of the cursor's list.
    const { nextCursor } = await get('?type=user.created');
    await api.get(`/api/v1/events?type=user.created&cursor=${nextCursor}`).expect(200);
    await api.get(`/api/v1/events?cursor=${nextCursor}`).expect(400);
    await api.get(`/api/v1/events?type=user.created&order=desc&cursor=${nextCursor}`).expect(400);
  });

  it('of a user are those of its groups, too, in order, with every filter and from page to page', async () => {
    const ada = await api.createUser();
    const bob = await api.createUser();
    const groups = service.app.get(GroupsService, { strict: false });
    const [{ id: sales }, { id: past }] = [
      await groups.create(api.organizationId, { displayName: 'Sales' }, [ada.id, bob.id]),
      await groups.create(api.organizationId, { displayName: 'Past' }, [ada.id]),
    ];
    await api.patch(`/api/v1/users/${ada.id}`, { role: 'admin' }).expect(200);
    await groups.change(api.organizationId, past, [{ kind: 'remove', members: [ada.id] }]);
    const story = [
      ['user.created', ada.id],
      ['group.member_added', sales],
      ['group.member_added', past],
      ['user.updated', ada.id],
      ['group.member_removed', past],
    ];
    const about = async (query = '') =>
      (await events(`?target=${ada.id}${query}`)).map(({ type, target }) => [type, target.id]);

    expect(await about()).toEqual(story);
    expect(await about('&order=desc')).toEqual(story.toReversed());
    expect(await about('&type=group.member_added,user.created')).toEqual(story.slice(0, 3));
    expect(await about('&type=group.member_removed&order=desc')).toEqual([story[4]]);
    expect(await about(`&actor=${api.tokenId}`)).toEqual([story[0], story[3]]);
    await service.dataSource.query(
      `UPDATE events SET occurred_at = CASE WHEN type = 'group.member_added' THEN date '2026-01-31' ELSE '2026-02-01' END
       WHERE organization_id = $1`,
      [api.organizationId],
    );
    expect(await about('&since=2026-01-31&until=2026-02-01&order=desc')).toEqual([story[2], story[1]]);
    expect(await about('&since=2026-02-01')).toEqual([story[0], story[3], story[4]]);
    for (const order of ['asc', 'desc']) {
      const seen: string[][] = [];
      let cursor: string | null = '';
      while (seen.length < story.length) {
        const query: string = `?target=${ada.id}&order=${order}&limit=2${cursor && `&cursor=${cursor}`}`;
        const { data, nextCursor }: { data: EventBody[]; nextCursor: string | null } = await get(query);
        seen.push(...data.map(({ type, target }) => [type, target.id]));
        cursor = nextCursor;
      }
      expect(seen).toEqual(order === 'asc' ? story : story.toReversed());
    }
    const ofGroup = (await events(`?target=${past}`)).map(({ type }) => type);
    expect(ofGroup).toEqual(['group.created', 'group.member_added', 'group.member_removed']);
  });

  it('refuses a filter or a cursor that is none', async () => {
    for (const [name, value] of [
      ['type', 'user.renamed'],
      ['type', 'user.created,'],
      ['type', ''],
      ['target', 'usr_1'],
      ['actor', 'usr_00000000000000000000000000'],
      ['since', '2026-02-30'],
      ['until', '2026-1-31'],
      ['since', '2026-13-31T00:00:00Z'],
      ['since', '2026-02-30T00:00:00Z'],
      ['until', '0001-01-01T00:00:00%2B02:00'],
      ['cursor', 'x'],
    ]) {
      const { status, body } = await api.get(`/api/v1/events?${name}=${value}`);
      expect({ value, status, ...body }).toMatchObject({ value, status: 400, errors: [{ field: name }] });
    }
  });
});

describe('events that nobody has numbered', () => {
  /** Writes events as a burst leaves them. */
  const backlog = (count: number, type = 'user.created') =>
    service.dataSource.query(
      `INSERT INTO events (organization_id, id, type, source, actor_name, target_id, data)
       SELECT $1, 'evt_' || lpad(n::text, 26, '0'), $3, 'cli', 'burst', 'usr_' || lpad(n::text, 26, '0'), '{}'
       FROM generate_series(1, $2::int) AS n`,
      [api.organizationId, count, type],
    );

  it('are numbered by whoever reads, in either order', async () => {
    await backlog(2_500);
    let newest = await events('?order=desc&limit=2');
    // A reader numbers for a tenth of a second at most, in which a busy machine does not get through them.
    for (let reads = 1; reads < 10 && sequences(newest)[0] < 2_501; reads++)
      newest = await events('?order=desc&limit=2');
    expect(sequences(newest)).toEqual([2_501, 2_500]);
    expect(newest[0].target.id).toMatch(/2500$/);
  });

  it('do not keep a filter from its end', async () => {
    await backlog(25_000);
    await api.createUser();
    let body = await get('?type=user.created&limit=200');
    // On a busy machine, a reader may spend its time on waiting for another one that numbers.
    for (let reads = 1; reads < 20 && body.data.length === 0; reads++)
      body = await get('?type=user.created&limit=200');
    expect(sequences(body.data).slice(0, 2)).toEqual([2, 3]);
    let found = 0;
    body = { nextCursor: '' };
    for (let pages = 0; pages < 100; pages++) {
      const cursor: string = body.nextCursor && `&cursor=${body.nextCursor}`;
      const { body: next, headers } = await api
        .get(`/api/v1/events?actor=${api.tokenId}${cursor}`)
        .expect(200);
      found += next.data.length;
      body = next;
      if (!headers.link) break;
    }
    expect(found).toBe(1);
  });
});

describe('what is too old', () => {
  const removeOld = () => runJob(service.app, 'remove old events');
  const query = (sql: string) => service.dataSource.query(sql, [api.organizationId]);
  const age = (through: number, days = 400) =>
    query(
      `UPDATE events SET occurred_at = now() - ${days} * interval '24 hours'
       WHERE organization_id = $1 AND sequence <= ${through}`,
    );

  it('goes, in the order of the numbers, which never begin again', async () => {
    for (let n = 0; n < 4; n++) await api.createUser();
    const { nextCursor: early } = await get('?limit=1');
    const { nextCursor: earlyDescending } = await get('?order=desc&limit=3');
    const { nextCursor: late } = await get('?limit=4');
    await age(3, 364.9);
    await removeOld();
    expect(sequences(await events())).toEqual([1, 2, 3, 4, 5]);
    await age(3, 365.1);
    await removeOld();
    expect(sequences(await events())).toEqual([4, 5]);
    expect(sequences(await events('?order=desc'))).toEqual([5, 4]);
    for (const query of [`cursor=${early}`, `order=desc&cursor=${earlyDescending}`]) {
      const { body } = await api.get(`/api/v1/events?${query}`).expect(400);
      expect(body.errors).toMatchObject([{ field: 'cursor', code: 'out_of_range' }]);
    }
    expect(sequences(await events(`?cursor=${late}`))).toEqual([5]);
    await age(5, 366);
    await removeOld();
    expect(await events()).toEqual([]);
    await api.createUser();
    expect(sequences(await events())).toEqual([6]);
  });

  it('goes of every organization, however many there are', async () => {
    await api.createUser();
    await events();
    await age(2);
    await service.dataSource.query(
      `INSERT INTO event_heads (organization_id) SELECT 'org_' || lpad(n::text, 26, '0') FROM generate_series(1, 2000) AS n`,
    );
    await removeOld();
    expect(await events()).toEqual([]);
    await service.dataSource.query(`DELETE FROM event_heads WHERE organization_id LIKE 'org_000000%'`);
  });

  it('stays behind a younger event, so that there is no gap', async () => {
    await api.createUser();
    await events();
    await query(
      `UPDATE events SET occurred_at = now() - interval '400 days' WHERE organization_id = $1 AND sequence = 2`,
    );
    await removeOld();
    expect(sequences(await events())).toEqual([1, 2]);
  });

  it.each([
    ['user.updated', null],
    ['group.member_added', { user: { id: `usr_${'1'.repeat(26)}` } }],
  ])('of one target and a type are read up to a limit at once, among %s', async (given, data) => {
    const target = `usr_${'1'.repeat(26)}`;
    await service.dataSource.query(
      `INSERT INTO events (organization_id, id, type, source, actor_name, target_id, data)
       SELECT $1, 'evt_' || lpad(n::text, 26, '0'), $2, 'api', 'Ada', $3, $4 FROM generate_series(1, 10500) AS n`,
      [api.organizationId, given, data ? 'grp_' : target, data],
    );
    for (let sequence = 0; sequence < 10_500;) sequence = (await get('?order=desc&limit=1')).data[0].sequence;
    for (const order of ['asc', 'desc']) {
      const query = `?target=${target}&type=user.created&order=${order}`;
      const first = await get(query);
      expect(first.data).toEqual([]);
      const [position] = JSON.parse(Buffer.from(first.nextCursor.slice(16), 'base64url').toString());
      expect(Number(position)).toBe(order === 'asc' ? 10_001 : 502);
      const last = await get(`${query}&cursor=${first.nextCursor}`);
      expect(last.data).toEqual([]);
    }
  });

  it('is a cursor of what a restored backup has lost, also once another event has its number', async () => {
    await api.createUser();
    const { nextCursor } = await get();
    await query(
      `WITH gone AS (DELETE FROM events WHERE organization_id = $1 AND sequence = 2)
       UPDATE event_heads SET sequence = 1 WHERE organization_id = $1`,
    );
    const refused = async () => {
      const { body } = await api.get(`/api/v1/events?cursor=${nextCursor}`).expect(400);
      expect(body.errors).toMatchObject([{ field: 'cursor', code: 'out_of_range' }]);
    };
    await refused();
    for (let user = 0; user < 2; user++) await api.createUser();
    expect(sequences(await events())).toEqual([1, 2, 3]);
    await refused();
  });
});
