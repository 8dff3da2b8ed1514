import { touch } from './recently-used';

/** A statement is prepared from this use on, as in PostgreSQL's JDBC driver: a text may never be sent again. */
const PREPARED_FROM = 5;

/** Callers choose texts, by the filters of SCIM, so only the most recently used ones are remembered. */
const MAX_TEXTS = 1_000;

/** Longer texts have a row for each of many values, and are rarely the same twice. */
const MAX_LENGTH = 4_000;

/**
 * Begins a statement that PostgreSQL has to plan each time: for its values, or because a plan made while a table was
 * nearly empty, which stays until ANALYZE, would go by the wrong index. It is never prepared.
 */
export const FOR_VALUES = 'SELECT /* planned for its values */';

interface Statement {
  name: string;
  uses: number;
}

const statements = new Map<string, Statement>();
let named = 0;

/** The name under which a connection prepares the statement, the same on all connections; undefined if it does not. */
export function preparedNameOf(text: string): string | undefined {
  if (text.length > MAX_LENGTH || text.startsWith(FOR_VALUES)) return undefined;
  const statement = statements.get(text) ?? { name: `ums_${++named}`, uses: 0 };
  touch(statements, text, statement, MAX_TEXTS);
  return ++statement.uses < PREPARED_FROM ? undefined : statement.name;
}
