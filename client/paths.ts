/** The path of one item of a collection. */
export function itemPath(collection: string, id: string): string {
  // URLs resolve "." and ".." to another path, and an empty id would address the collection.
  if (/^\.{0,2}$/.test(id))
    throw new TypeError(`Invalid id ${JSON.stringify(id)}: it must not be empty, "." or "..".`);
  return `${collection}/${encodeURIComponent(id)}`;
}
