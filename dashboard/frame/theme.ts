import { createKept, oneOf } from '../ui/kept.ts';

export const THEMES = { system: 'System', light: 'Light', dark: 'Dark' } as const;
export type Theme = keyof typeof THEMES;

export const theme = createKept('theme', 'system', oneOf(Object.keys(THEMES) as Theme[]));

const apply = (theme: Theme) => {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
};
theme.subscribe(apply);
apply(theme.get());
