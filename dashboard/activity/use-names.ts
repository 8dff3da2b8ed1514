import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Event } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { memberIdOf, type NameOf, targetNameOf } from './sentence.ts';

/** The most ids that a request may name. */
const MAX_IDS = 200;

/** The names of those who are named by their ids only, and the pages of all who still are there. */
export interface Names {
  nameOf: NameOf;
  /** The page of what has this id; undefined if there is none, or if it is where the entries are shown. */
  pageOf(id: string): string | undefined;
}

/** Names the users in these events: one request for those of each page of events. `own`: whose page it is. */
export function useNames(events: Event[], own?: string): Names {
  const { client } = useSession();
  /** Null for a user who is not there any more. */
  const [found, setFound] = useState<ReadonlyMap<string, string | null>>(new Map());
  const asked = useRef(new Set<string>());
  const [controller] = useState(() => new AbortController());
  useEffect(() => () => controller.abort(), []);
  const known = useMemo(() => namesIn(events), [events]);
  const gone = useMemo(() => goneIn(events), [events]);
  useEffect(() => {
    const isNeeded = (id: string) => !asked.current.has(id) && !(id === own && known.has(id));
    const ids = userIdsIn(events).filter(isNeeded);
    for (let i = 0; i < ids.length; i += MAX_IDS) void ask(ids.slice(i, i + MAX_IDS));
  }, [events]);

  async function ask(ids: string[]) {
    for (const id of ids) asked.current.add(id);
    const names = new Map<string, string | null>(ids.map((id) => [id, null]));
    try {
      const users = client.users.list({ id: ids, limit: MAX_IDS }, { signal: controller.signal });
      for await (const { id, name } of users) names.set(id, name);
    } catch {
      // Without an answer, an id stays an id: the entries are correct without names.
    }
    if (!controller.signal.aborted) setFound((found) => new Map([...found, ...names]));
  }

  return {
    nameOf: (id) => found.get(id) ?? known.get(id) ?? (found.has(id) ? null : undefined),
    pageOf(id) {
      const section = PAGES[id.slice(0, 3)];
      const isThere = section === 'users' ? typeof found.get(id) === 'string' : !gone.has(id);
      return section && isThere && id !== own ? `${section}/${id}` : undefined;
    },
  };
}

const PAGES: Record<string, string> = { usr: 'users', tok: 'tokens', grp: 'groups', whk: 'webhooks' };

function userIdsIn(events: Event[]): string[] {
  const ids = events.map((event) => (event.target.type === 'user' ? event.target.id : memberIdOf(event)));
  return [...new Set(ids)].filter((id) => id !== undefined);
}

/** What the events themselves call those whom they are about: the newest name of each. */
export function namesIn(events: Event[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const event of events) {
    const { target, actor } = event;
    const name = targetNameOf(event);
    if (name !== target.id && !names.has(target.id)) names.set(target.id, name);
    if (actor.id !== null && !names.has(actor.id)) names.set(actor.id, actor.name);
  }
  return names;
}

/** The groups and webhooks that these events have deleted. */
const goneIn = (events: Event[]) =>
  new Set(events.filter(({ type }) => type.endsWith('.deleted')).map(({ target }) => target.id));
