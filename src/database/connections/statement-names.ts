/** A statement is prepared from this use on, as in PostgreSQL's JDBC driver: a text may never be sent again. */
const PREPARED_FROM = 5;

/** Each connection keeps its prepared statements until it is closed. */
const MAX_PREPARED = 200;

const MAX_COUNTED_TEXTS = 1_000;

/** Longer texts have a row for each of many values, and are rarely the same twice. */
const MAX_LENGTH = 4_000;

const names = new Map<string, string>();
const uses = new Map<string, number>();

/** The name under which a connection prepares the statement, the same on all connections; undefined if it is rare. */
export function preparedNameOf(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const name = names.get(text);
  if (name || names.size === MAX_PREPARED) return name;
  const used = (uses.get(text) ?? 0) + 1;
  if (used < PREPARED_FROM) {
    if (uses.size === MAX_COUNTED_TEXTS) uses.clear();
    uses.set(text, used);
    return undefined;
  }
  uses.delete(text);
  names.set(text, `ums_${names.size + 1}`);
  return names.get(text);
}
