import type { Client, User } from '../../../client/index.ts';
import { pageOf, type UserFilter } from '../user/user-filter.ts';
import { patiently, type TaskHooks } from './patiently.ts';

/** The largest page of the API. */
const PAGE_SIZE = 200;

/** Yields all users that pass the filter, page by page in the order of the list. */
export async function* walk(client: Client, filter: UserFilter, hooks: TaskHooks): AsyncGenerator<User[]> {
  let cursor: string | undefined;
  do {
    const { data, nextCursor } = await patiently(
      () => pageOf(client, filter, { limit: PAGE_SIZE, cursor }, hooks.signal),
      hooks,
    );
    yield data;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
}
