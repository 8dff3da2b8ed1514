import { createStore, type Store } from '../store.ts';

/** A choice that stays in this browser, in all of its tabs. */
export interface Kept<Value extends string> extends Store<Value> {
  /** Keeps the choice, or nothing if it is the usual one. */
  choose(value: Value): void;
}

/** Reads what was chosen earlier; `usual` if nothing was, or nothing that is valid. */
export function createKept<Value extends string>(
  key: string,
  usual: Value,
  isValid: (text: string) => text is Value,
): Kept<Value> {
  const read = (): Value => {
    try {
      const kept = localStorage.getItem(key) ?? usual;
      return isValid(kept) ? kept : usual;
    } catch {
      return usual; // the browser may forbid storage
    }
  };
  const store = createStore(read());
  // Another tab has changed it.
  addEventListener('storage', (event) => {
    if (event.key === key || event.key === null) store.set(read());
  });
  return {
    ...store,
    choose(value) {
      try {
        if (value === usual) localStorage.removeItem(key);
        else localStorage.setItem(key, value);
      } catch {
        // it applies until the page is closed
      }
      store.set(value);
    },
  };
}
