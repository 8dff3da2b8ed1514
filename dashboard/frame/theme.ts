import { createKept } from '../ui/kept.ts';

export const THEMES = { system: 'System', light: 'Light', dark: 'Dark' } as const;
export type Theme = keyof typeof THEMES;

export const theme = createKept<Theme>('theme', 'system', (text): text is Theme => text in THEMES);

const apply = (theme: Theme) => {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
};
theme.subscribe(apply);
apply(theme.get());
