import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { newId } from '../../src/platform/database/id';
import { EventNumbering } from '../../src/events/log/event-numbering';
import { FEATURES } from '../../src/service.module';
import { GroupsService } from '../../src/groups/groups.service';
import { scimClient } from '../support/scim';
import { useApi } from '../support/service';
import { statementsOf } from '../support/statements';

const { service, api } = useApi();

interface Exported {
  events: { type: string; sequence: number; target: { id: string } }[];
}

const EVENTS = 8_000;
const PAGE = 50;

/** A page of groups. */
const GROUPS = 200;

/**
 * Adds events of the user, about 2 KB each: more than the buffers of the system hold, and few enough to be sent within
 * the 15 seconds for which another response may stay unread, even on a busy machine.
 */
async function addEvents(userId: string, { count = EVENTS, bytes = 2_000 } = {}) {
  await service.dataSource.query(
    `INSERT INTO events (organization_id, id, type, source, actor_name, target_id, data)
     SELECT $1, id, 'user.updated', 'api', 'Test', $2, $3 FROM unnest($4::text[]) AS given (id)`,
    [
      api.organizationId,
      userId,
      JSON.stringify({ user: { id: userId, metadata: { text: 'x'.repeat(bytes) } }, previous: {} }),
      Array.from({ length: count }, () => newId('evt')),
    ],
  );
  // A request would have to number so many within seconds.
  const numbering = service.app.get(EventNumbering, { strict: false });
  while (!(await numbering.catchUp(api.organizationId, 30_000)));
}

/** The response, of which nothing has been read yet. */
async function open(userId: string): Promise<IncomingMessage> {
  const headers = { Authorization: `Bearer ${api.tokenValue}` };
  const [response] = await once(
    get(`${service.url}/api/v1/users/${userId}/export`, { headers, agent: false }),
    'response',
  );
  return response;
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return text;
}

describe('GET /api/v1/users/{id}/export', () => {
  it('has the user, and all that has happened to it, oldest first', async () => {
    const user = await api.createUser({ metadata: { plan: 'pro' } });
    await api.createUser(); // whose events are not among them
    const { body: changed } = await api.patch(`/api/v1/users/${user.id}`, { role: 'admin' }).expect(200);

    const { body, headers } = await api.get(`/api/v1/users/${user.id}/export`).expect(200);

    expect(headers).toMatchObject({
      'content-disposition': `attachment; filename="${user.id}.json"`,
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(body).toMatchObject({ user: changed, directory: null, groups: [] });
    const shown = FEATURES.flatMap(({ feature }) => feature.personal).flatMap(({ export: shown }) =>
      'as' in shown ? shown.as : [],
    );
    expect(Object.keys(body).sort()).toEqual(['exportedAt', ...shown].sort());
    const { body: events } = await api.get(`/api/v1/events?target=${user.id}`).expect(200);
    expect(body.events).toEqual(events.data);
    expect(body.events.map(({ type }: { type: string }) => type)).toEqual(['user.created', 'user.updated']);
  });

  it('has what a directory has given, the groups, and how the user came into groups and left them', async () => {
    const directory = await scimClient(service, { organizationId: api.organizationId });
    const given = {
      userName: 'ada',
      externalId: '4711',
      title: 'Analyst',
      emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
    };
    const work = { department: 'Engines' };
    const person = {
      ...given,
      active: true,
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': work,
    };
    const { body: ada } = await directory.post('/Users', person).expect(201);
    const { body: bob } = await directory.post('/Users', { userName: 'bob@example.com' }).expect(201);
    const members = [{ value: ada.id }, { value: bob.id }];
    const { body: sales } = await directory.post('/Groups', { displayName: 'Sales', members }).expect(201);
    const { body: past } = await directory.post('/Groups', { displayName: 'Past', members }).expect(201);
    const remove = { op: 'remove', path: `members[value eq "${ada.id}"]` };
    await directory.patch(`/Groups/${past.id}`, { Operations: [remove] }).expect(204);

    const { body } = await api.get(`/api/v1/users/${ada.id}/export`).expect(200);

    expect(body.directory).toEqual({ ...given, ...work });
    const { body: groups } = await api.get(`/api/v1/groups?user=${ada.id}`).expect(200);
    expect(body.groups).toEqual(groups.data);
    const story = (body as Exported).events.map(({ type, target }) => [type, target.id]);
    expect(story).toEqual([
      ['user.created', ada.id],
      ['group.member_added', sales.id],
      ['group.member_added', past.id],
      ['group.member_removed', past.id],
    ]);
  });

  it('has all groups and all events of a user who is in more than a page of them', async () => {
    const { id } = await api.createUser();
    const groups = service.app.get(GroupsService, { strict: false });
    for (let i = 0; i <= GROUPS; i++)
      await groups.create(api.organizationId, { displayName: `Group ${i}` }, [id]);
    const { body } = await api.get(`/api/v1/users/${id}/export`).expect(200);
    const { body: last } = await api.get(`/api/v1/groups?user=${id}&limit=1`).expect(200);
    expect(body.groups).toHaveLength(GROUPS + 1);
    expect(body.groups[0]).toEqual(last.data[0]);
    expect(new Set(body.groups.map((group: { id: string }) => group.id)).size).toBe(GROUPS + 1);
    expect(body.events).toHaveLength(GROUPS + 2);
  });

  it('is a 404 for a deleted user', async () => {
    const { id } = await api.createUser();
    await api.delete(`/api/v1/users/${id}`).expect(204);
    const { headers } = await api.get(`/api/v1/users/${id}/export`).expect(404);
    expect(headers['content-disposition']).toBeUndefined();
  });

  it('sends no body for a HEAD', async () => {
    const { id } = await api.createUser();
    const { headers, text } = await api.head(`/api/v1/users/${id}/export`).expect(200);
    expect(headers['content-disposition']).toContain(id);
    expect(text).toBeUndefined();
  });

  it('begins before all events are read, and reads no more while the caller takes nothing', async () => {
    const { id } = await api.createUser();
    await addEvents(id);
    await statementsOf(service.dataSource, async (sent) => {
      const response = await open(id);
      expect(response.headers['transfer-encoding']).toBe('chunked');
      await api.patch(`/api/v1/users/${id}`, { name: 'Later' }).expect(200); // it had begun by then
      await textOf(await open(id)); // which begins later, and reads every page
      const pages = sent.filter(({ sql }) => sql.includes('member_removed')).length;
      expect(pages).toBeGreaterThan(EVENTS / PAGE);
      expect(pages).toBeLessThan((2 * EVENTS) / PAGE);
      const { events } = JSON.parse(await textOf(response)) as Exported;
      expect(events).toHaveLength(EVENTS + 1);
      const sequences = events.map(({ sequence }) => sequence);
      expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    });
  });

  it('goes on after a page that has ended early because its events are large', async () => {
    const { id } = await api.createUser();
    await addEvents(id, { count: PAGE / 2, bytes: 60_000 }); // a page ends at a megabyte
    const { events } = JSON.parse(await textOf(await open(id))) as Exported;
    expect(events).toHaveLength(PAGE / 2 + 1);
  });

  it('breaks the connection if it fails in the middle', async () => {
    const { id } = await api.createUser();
    await addEvents(id);
    const response = await open(id);
    await service.dataSource.query(`ALTER TABLE events RENAME TO hidden`);
    await expect(textOf(response)).rejects.toMatchObject({ code: 'ECONNRESET' });
    await service.dataSource.query(`ALTER TABLE hidden RENAME TO events`);
    const requestId = response.headers['x-request-id'];
    expect(service.logs.join('')).toContain(`"requestId":"${requestId}","error"`);
  });
});
