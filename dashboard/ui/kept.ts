import { createStore, type Store } from '../store.ts';

/** A choice that stays in this browser, in all of its tabs. */
export interface Kept<Value> extends Store<Value> {
  /** Keeps the choice, or nothing if it is the usual one. */
  choose(value: Value): void;
}

/** Reads what was chosen earlier; `usual` if nothing was, or nothing that `parse` can read. */
export function createKept<Value>(
  key: string,
  usual: Value,
  parse: (text: string) => Value | undefined,
  format: (value: Value) => string = String,
): Kept<Value> {
  const read = (): Value => {
    try {
      const kept = localStorage.getItem(key);
      return (kept === null ? undefined : parse(kept)) ?? usual;
    } catch {
      return usual; // the browser may forbid storage, and others may write to it
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
        else localStorage.setItem(key, format(value));
      } catch {
        // it applies until the page is closed
      }
      store.set(value);
    },
  };
}

/** Reads one of these values. */
export const oneOf =
  <Value extends string>(values: readonly Value[]) =>
  (text: string): Value | undefined =>
    values.find((value) => value === text);
