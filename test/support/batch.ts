import { type Client, type UserBody } from './client';
import { useApi } from './service';

export const PATH = '/api/v1/users/batch';

/** Starts a service; each test has a client of a new organization, whose batches `post` sends. */
export function useBatch() {
  const { service, api } = useApi({ RATE_LIMIT_PER_MINUTE: '1000000' });
  const post = (users: unknown, more: object = {}, client = api) => client.post(PATH, { users, ...more });
  return { service, api, post };
}

export const usersOf = async (client: Client): Promise<UserBody[]> =>
  (await client.get('/api/v1/users?limit=200&sort=email').expect(200)).body.data;

export const eventsOf = async (client: Client) =>
  (await client.get('/api/v1/events?type=user.created,user.updated&limit=200').expect(200)).body.data;

export const TAKEN = {
  field: 'email',
  code: 'taken',
  message: 'is already used by another user of the organization',
};
