import { aUser, type Client } from '../support/client';
import { resourceAt, routes, useEveryRoute, withId } from '../support/routes';

const service = useEveryRoute();

/** A request's body, in which `:id` is that of the thing that the path is about, and the types of its events. */
type Change = [body: object | undefined, ...types: string[]];

/** What each route records that may change something. A new route fails a test until it is entered here. */
const CHANGES: Record<string, Change> = {
  'post /api/v1/users': [aUser(), 'user.created'],
  'patch /api/v1/users/:id': [{ name: 'Grace Hopper' }, 'user.updated'],
  'delete /api/v1/users/:id': [undefined, 'user.deleted'],
  'post /api/v1/users/batch': [{ mode: 'create', users: [aUser()] }, 'user.created'],
  'post /api/v1/users/batch-delete': [{ users: [{ id: ':id' }] }, 'user.deleted'],
  'post /api/v1/deleted-users/:id/restore': [{}, 'user.restored'],
  'post /api/v1/deleted-users/batch-restore': [{ users: [{ id: ':id' }] }, 'user.restored'],
  'delete /api/v1/deleted-users/:id': [undefined, 'user.purged'],
  'post /api/v1/tokens': [{ name: 'CI', scopes: ['users:read'] }, 'token.created'],
  'patch /api/v1/tokens/:id': [{ name: 'CI pipeline' }, 'token.updated'],
  'post /api/v1/tokens/:id/rotate': [{}, 'token.rotated'],
  'delete /api/v1/tokens/:id': [undefined, 'token.revoked'],
  'delete /api/v1/tokens/current': [undefined, 'token.revoked'],
  'post /api/v1/webhooks': [{ url: 'https://example.com/hook', types: ['*'] }, 'webhook.created'],
  'patch /api/v1/webhooks/:id': [{ description: 'Orders' }, 'webhook.updated'],
  'delete /api/v1/webhooks/:id': [undefined, 'webhook.deleted'],
  'post /api/v1/webhooks/:id/rotate-secret': [{}, 'webhook.updated'],
  'post /api/scim/v2/Users': [{ userName: 'grace@example.com' }, 'user.created'],
  'put /api/scim/v2/Users/:id': [{ userName: 'grace@example.com' }, 'user.updated'],
  'patch /api/scim/v2/Users/:id': [operation('displayName', 'Grace Hopper'), 'user.updated'],
  'delete /api/scim/v2/Users/:id': [undefined, 'user.deleted'],
  'post /api/scim/v2/Groups': [{ displayName: 'Research' }, 'group.created'],
  'put /api/scim/v2/Groups/:id': [{ displayName: 'Research' }, 'group.updated'],
  'patch /api/scim/v2/Groups/:id': [operation('displayName', 'Research'), 'group.updated'],
  'delete /api/scim/v2/Groups/:id': [undefined, 'group.deleted'],
};

function operation(path: string, value: string): object {
  return { Operations: [{ op: 'replace', path, value }] };
}

/** Searches, and deliveries: they change nothing that has events. */
const CHANGES_NOTHING = /\/(\.search|redeliver|test)$/;

const written = routes.filter(
  ({ method, path }) =>
    !/^(get|all)$/.test(method) && path.startsWith('/api/') && !CHANGES_NOTHING.test(path),
);

it('knows every route that may change something', () => {
  expect(Object.keys(CHANGES).sort()).toEqual(written.map(({ method, path }) => `${method} ${path}`).sort());
});

/** The types of all events of the organization, in their order. */
const typesOf = async (client: Client): Promise<string[]> =>
  (await client.get('/api/v1/events?limit=200').expect(200)).body.data.map(
    ({ type }: { type: string }) => type,
  );

it('every route that may change something records its change', async () => {
  for (const { method, path } of written) {
    const [body, ...types] = CHANGES[`${method} ${path}`];
    const client = await service.client();
    const reader = await service.client({ organizationId: client.organizationId });
    const text = body && JSON.stringify(body);
    const id = `${path} ${text}`.includes(':id') ? (await resourceAt(client, path)).id : '';
    const before = await typesOf(reader);
    const sent = text ? (JSON.parse(text.replace(':id', id)) as object) : undefined;
    const { status } = await client.send(method as 'post', withId(path, id), sent);
    const recorded = (await typesOf(reader)).slice(before.length).sort();
    expect({ method, path, isDone: status < 300, recorded }).toEqual({
      method,
      path,
      isDone: true,
      recorded: [...types].sort(),
    });
  }
});
