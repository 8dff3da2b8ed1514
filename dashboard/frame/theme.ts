import { createStore } from '../store.ts';

export const THEMES = { system: 'System', light: 'Light', dark: 'Dark' } as const;
export type Theme = keyof typeof THEMES;

const KEY = 'theme';

function read(): Theme {
  try {
    const kept = localStorage.getItem(KEY) ?? 'system';
    return kept in THEMES ? (kept as Theme) : 'system';
  } catch {
    return 'system'; // the browser may forbid storage
  }
}

export const theme = createStore<Theme>(read());

const apply = () => {
  if (theme.get() === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.get();
};
theme.subscribe(apply);
apply();
// Another tab has changed it.
addEventListener('storage', ({ key }) => {
  if (key === KEY || key === null) theme.set(read());
});

/** Stores the theme in this browser, or nothing if it is the system's. */
export function chooseTheme(chosen: Theme): void {
  try {
    if (chosen === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, chosen);
  } catch {
    // it applies until the page is closed
  }
  theme.set(chosen);
}
