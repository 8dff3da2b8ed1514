import type { User } from '../../client/index.ts';
import { baseUrl } from '../router/address.ts';
import { navigate } from '../router/place.ts';
import { may } from '../session/may.tsx';
import type { Session } from '../session/session.ts';
import type { Section } from './section.ts';
import { chooseTheme, type Theme, THEMES } from './theme.ts';

/** Something that the palette offers. */
export interface Command {
  key: string;
  /** The kind of thing, such as “User”. */
  group: string;
  title: string;
  hint?: string;
  run(): void;
}

export const actionsOf = ({ end, token }: Session, sections: Section[]): Command[] => [
  ...sections.map(({ path, title }) => ({
    key: `page ${path}`,
    group: 'Go to',
    title,
    run: () => navigate(path),
  })),
  ...(may(token, 'users:write')
    ? [{ key: 'create user', group: 'Action', title: 'Create user', run: () => navigate('users?new') }]
    : []),
  ...(may(token, 'admin')
    ? [{ key: 'create token', group: 'Action', title: 'Create token', run: () => navigate('tokens?new') }]
    : []),
  {
    key: 'docs',
    group: 'Open',
    title: 'API reference',
    run: () => void open(`${baseUrl}/docs`, '_blank', 'noreferrer'),
  },
  ...Object.entries(THEMES).map(([theme, title]) => ({
    key: `theme ${theme}`,
    group: 'Theme',
    title,
    run: () => chooseTheme(theme as Theme),
  })),
  { key: 'sign out', group: 'Action', title: 'Sign out', run: () => end('signed-out') },
];

export const commandOfUser = ({ id, name, email }: User): Command => ({
  key: id,
  group: 'User',
  title: name,
  hint: email,
  run: () => navigate(`users/${id}`),
});
