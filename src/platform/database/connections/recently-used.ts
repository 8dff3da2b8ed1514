/**
 * Makes an entry the most recently used one of a map that keeps at most `size`. Returns the key that was dropped for
 * it, if any.
 */
export function touch<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value,
  size: number,
): Key | undefined {
  map.delete(key);
  map.set(key, value);
  if (map.size <= size) return undefined;
  const [oldest] = map.keys();
  map.delete(oldest);
  return oldest;
}
