import type { Client, User } from '../../client/index.ts';
import { docsUrl } from '../router/address.ts';
import { navigate } from '../router/place.ts';
import { may, type Scope } from '../session/may.tsx';
import type { Session } from '../session/session.ts';
import type { Section } from './section.ts';
import { type Theme, theme, THEMES } from './theme.ts';

/** Something that the palette offers. */
export interface Command {
  key: string;
  /** The kind of thing, such as “User”. */
  group: string;
  title: string;
  hint?: string;
  run(): void;
}

const goTo = (group: string, to: string, title: string, hint?: string): Command => ({
  key: to,
  group,
  title,
  hint,
  run: () => navigate(to),
});

/** What leads to a page where something begins. */
const BEGINNINGS: [scope: Scope, to: string, title: string][] = [
  ['users:write', 'users?new', 'Create user'],
  ['users:write', 'users/import', 'Import users'],
  ['admin', 'tokens?new', 'Create token'],
  ['admin', 'webhooks/new', 'Create webhook'],
];

const openDocs = (url: string): Command => ({
  key: 'docs',
  group: 'Open',
  title: 'API reference',
  run: () => void open(url, '_blank', 'noreferrer'),
});

export const actionsOf = ({ end, token }: Session, sections: Section[], onKeys: () => void): Command[] => [
  ...sections.map(({ path, title }) => goTo('Go to', path, title)),
  ...BEGINNINGS.filter(([scope]) => may(token, scope)).map(([, to, title]) => goTo('Action', to, title)),
  ...(docsUrl ? [openDocs(docsUrl)] : []),
  { key: 'keys', group: 'Open', title: 'Keyboard shortcuts', hint: '?', run: onKeys },
  ...(Object.entries(THEMES) as [Theme, string][]).map(([name, title]) => ({
    key: `theme ${name}`,
    group: 'Theme',
    title,
    run: () => theme.choose(name),
  })),
  { key: 'sign out', group: 'Action', title: 'Sign out', run: () => end('signed-out') },
];

export const commandOfUser = ({ id, name, email }: User): Command => goTo('User', `users/${id}`, name, email);

/** The newest of each kind can be found. */
const MAX_OF_KIND = 200;

/** The tokens, webhooks and groups, which the API does not search. Users are searched as somebody types. */
export async function fetchNamed(client: Client, isAdmin: boolean, signal: AbortSignal): Promise<Command[]> {
  const page = { limit: MAX_OF_KIND };
  const [tokens, webhooks, groups] = await Promise.all([
    isAdmin ? client.tokens.list({ state: 'active', session: false, ...page }, { signal }).page() : NONE,
    isAdmin ? client.webhooks.list(page, { signal }).page() : NONE,
    client.groups.list(page, { signal }).page(),
  ]);
  return [
    ...tokens.data.map(({ id, name, hint }) => goTo('Token', `tokens/${id}`, name, hint)),
    ...webhooks.data.map(({ id, url, description }) =>
      goTo('Webhook', `webhooks/${id}`, description ?? url, description === null ? undefined : url),
    ),
    ...groups.data.map(({ id, displayName }) => goTo('Group', `groups/${id}`, displayName)),
  ];
}

const NONE = { data: [] };
