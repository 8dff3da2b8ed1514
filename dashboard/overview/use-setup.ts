import type { Client, Statistics, Token } from '../../client/index.ts';
import { may } from '../session/may.tsx';
import { useSession } from '../session/session.ts';
import { useStore } from '../store.ts';
import { isBootstrap } from '../tokens/token/bootstrap-banner.tsx';
import { findToken } from '../tokens/token/find-token.ts';
import { createKept } from '../ui/kept.ts';
import { useResource } from '../ui/use-resource.ts';
import { createdIn } from './days.ts';

/** What has been done of what a new organization needs; undefined is a step that the token does not allow. */
export interface Setup {
  hasUsers?: boolean;
  hasDirectory?: boolean;
  hasToken?: boolean;
}

/** The organizations whose steps are no longer shown. */
const hidden = createKept('setup-hidden', '', (text) => text);

/** A directory gives attributes to each of its users. */
const USERS_READ = 10;

/** The first steps of an organization, until they are done or dismissed. An old organization needs none. */
export function useSetup(statistics: Statistics) {
  const { client, token } = useSession();
  const { organization, users, createdByDay } = statistics;
  const isHidden = useStore(hidden).split(' ').includes(organization.id);
  const isNew = createdIn(createdByDay) >= users.total;
  const isWanted = isNew && !isHidden && may(token, 'users:write');
  const { value, isLoading } = useResource(`${organization.id} ${isWanted}`, async (signal) =>
    isWanted ? readSetup(client, token, signal) : undefined,
  );
  const isDone = !value || (value.hasUsers && value.hasToken !== false);
  return {
    isLoading: isWanted && isLoading,
    setup: isWanted && !isDone ? value : undefined,
    dismiss: () => hidden.choose(`${hidden.get()} ${organization.id}`.trim()),
  };
}

/** Not by the statistics, which are up to a minute old. */
async function readSetup(client: Client, token: Token, signal: AbortSignal): Promise<Setup> {
  const newest = { sort: 'createdAt', order: 'desc', limit: USERS_READ, include: 'directory' } as const;
  const users = may(token, 'users:read') ? (await client.users.list(newest, { signal }).page()).data : [];
  const hasUsers = users.length > 0;
  if (!may(token, 'admin')) return { hasUsers };
  const isOfProgram = (other: Token) => other.id !== token.id && !isBootstrap(other);
  const [ofProgram, groups] = await Promise.all([
    findToken(client, isOfProgram, signal),
    client.groups.list({ limit: 1 }, { signal }).page(), // which only a directory makes
  ]);
  const hasDirectory = groups.data.length > 0 || users.some(({ directory }) => directory);
  return { hasUsers, hasDirectory, hasToken: ofProgram !== undefined };
}
