import { useEffect, useState } from 'preact/hooks';

/** A value with change listeners. */
export interface Store<Value> {
  get(): Value;
  set(value: Value): void;
  subscribe(listener: (value: Value) => void): () => void;
}

export function createStore<Value>(value: Value): Store<Value> {
  const listeners = new Set<(value: Value) => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of listeners) listener(value);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<Value>(store: Store<Value>): Value {
  const [value, setValue] = useState(store.get);
  useEffect(() => {
    setValue(store.get);
    return store.subscribe((value) => setValue(() => value));
  }, [store]);
  return value;
}
