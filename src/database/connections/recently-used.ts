/**
 * Sets an entry of a map in the order of use, which thus has at most `size` entries. Returns the key that had to go, of
 * the entry used longest ago.
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
