import type { Response } from 'supertest';
import type { UserBody } from './client';
import type { TestServiceOptions } from './defaults';
import { useApi } from './service';

type DeletedBody = UserBody & { deletedAt: string; purgeAt: string };

export const DAY_MS = 24 * 60 * 60_000;

export const pathOf = ({ id }: { id: string }) => `/api/v1/users/${id}`;
export const deletedPath = ({ id }: { id: string }) => `/api/v1/deleted-users/${id}`;
export const restorePath = (user: { id: string }) => `${deletedPath(user)}/restore`;

/** The path of the next page, or an empty one. */
export const nextOf = (headers: Record<string, string>) =>
  /<(.*)>; rel="next"/.exec(headers.link ?? '')?.[1] ?? '';

/** Starts a service; each test has a client of a new organization, whose users it deletes. */
export function useDeletedUsers(options: TestServiceOptions = {}) {
  const { service, api } = useApi({ RATE_LIMIT_PER_MINUTE: '100000' }, options);

  async function deletedUser(fields: object = {}, client = api): Promise<UserBody> {
    const user = await client.createUser(fields);
    await client.delete(pathOf(user)).expect(204);
    return user;
  }

  const listOf = async (query = '', client = api): Promise<DeletedBody[]> =>
    (await client.get(`/api/v1/deleted-users${query}`).expect(200)).body.data;

  const found = async (q: string): Promise<UserBody[]> =>
    (await api.get(`/api/v1/users/search?q=${encodeURIComponent(q)}`).expect(200)).body.data;

  /** A slow machine may need more than one page to number them. */
  async function eventsOf({ id }: { id: string }, client = api) {
    const events = [];
    for (let path = `/api/v1/events?target=${id}`; path;) {
      const { body, headers }: Response = await client.get(path).expect(200);
      events.push(...body.data);
      path = nextOf(headers);
    }
    return events;
  }

  const typesOf = async (user: { id: string }) =>
    (await eventsOf(user)).map(({ type }: { type: string }) => type.replace('user.', ''));

  return { service, api, deletedUser, listOf, found, eventsOf, typesOf };
}
