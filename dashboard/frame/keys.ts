import { useEffect } from 'preact/hooks';
import { navigate } from '../router/place.ts';
import type { Section } from './section.ts';
import { singleKeys } from './single-keys.ts';

/** What the keys do, as `?` shows it. */
export const KEYS: [keys: string, does: string][] = [
  ['Ctrl K or ⌘ K', 'Search users and everything else'],
  ['/', 'Search or filter the list on this page'],
  ['G, then a letter', 'Go to a section: G U to the users, G T to the tokens'],
  ['C', 'Create what the page lists'],
  ['E', 'Edit what the page shows'],
  ['J and K', 'Go to the next and to the previous one of the list'],
  ['Esc', 'Close, or cancel'],
  ['?', 'Show this'],
];

/** What follows a G: the first letter of its address, or of its title if it is the first page. */
const letterOf = ({ path, title }: Section) => (path || title)[0].toLowerCase();

/** The keys that press what says so with `aria-keyshortcuts`. */
const OF_THE_PAGE = ['c', 'e', 'j', 'k'];

/** How long after a G the letter of a section may come. */
const SEQUENCE_MS = 1_500;

const FIELDS = 'input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]';

interface Actions {
  onPalette(): void;
  onKeys(): void;
}

/** Listens to the keys of the whole dashboard. Where a person types, and in dialogs and menus, they are letters. */
export function useKeys(sections: Section[], { onPalette, onKeys }: Actions): void {
  useEffect(() => {
    let gAt = -Infinity;
    const onKey = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase();
      const isFree = !document.querySelector('dialog[open], [role=menu]');
      if (key === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
        event.preventDefault(); // browsers go to their search field
        if (isFree) onPalette();
        return;
      }
      if (singleKeys.get() === 'off') return;
      const isTyped = event.target instanceof Element && event.target.matches(FIELDS);
      if (!isFree || isTyped || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      const isAfterG = event.timeStamp - gAt < SEQUENCE_MS;
      const section = isAfterG ? sections.find((section) => letterOf(section) === key) : undefined;
      gAt = -Infinity;
      if (section) navigate(section.path);
      else if (key === 'g') gAt = event.timeStamp;
      else if (key === '?') onKeys();
      else if (key === '/') document.querySelector<HTMLElement>('main [type=search]')?.focus();
      else if (OF_THE_PAGE.includes(key))
        document.querySelector<HTMLElement>(`main [aria-keyshortcuts=${key.toUpperCase()}]`)?.click();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [sections]);
}
