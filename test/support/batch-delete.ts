import { aUser, type Client, type UserBody } from './client';
import { useApi } from './service';

export const DELETE_PATH = '/api/v1/users/batch-delete';
export const RESTORE_PATH = '/api/v1/deleted-users/batch-restore';

export const idsOf = (users: readonly { id: string }[]) => users.map(({ id }) => ({ id }));

/** Starts a service; each test has a client of a new organization, whose users are deleted and restored by batches. */
export function useBatchDelete(env: Record<string, string> = {}) {
  const { service, api } = useApi({ RATE_LIMIT_PER_MINUTE: '1000000', ...env });
  const del = (users: unknown, more: object = {}, client: Client = api) =>
    client.post(DELETE_PATH, { users, ...more });
  const restore = (users: unknown, more: object = {}, client: Client = api) =>
    client.post(RESTORE_PATH, { users, ...more });

  /** Creates users by a batch, and returns them in this order. */
  async function people(count: number, fieldsOf: (n: number) => object = () => ({}), client: Client = api) {
    const users = Array.from({ length: count }, (_, n) => aUser(fieldsOf(n)));
    const { body } = await client.post('/api/v1/users/batch', { users }).expect(200);
    return users.map((fields, n): UserBody => ({ ...fields, id: body.results[n].id }) as UserBody);
  }

  /** `user.deleted` and the like, with the id of the user, in the order of the feed. */
  async function eventsOf(types: string, client: Client = api): Promise<string[]> {
    const { body } = await client.get(`/api/v1/events?type=${types}&limit=200`).expect(200);
    type Row = { type: string; target: { id: string } };
    return body.data.map(({ type, target }: Row) => `${type.replace('user.', '')} ${target.id}`);
  }

  /** The number of users, and that of deleted ones. */
  async function counts(client: Client = api): Promise<[number, number]> {
    const [{ users, deleted }] = await service.dataSource.query(
      `SELECT (SELECT count(*)::integer FROM users WHERE organization_id = $1) AS users,
         (SELECT count(*)::integer FROM deleted_users WHERE organization_id = $1) AS deleted`,
      [client.organizationId],
    );
    return [users, deleted];
  }

  return { service, api, del, restore, people, eventsOf, counts };
}
