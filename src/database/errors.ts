interface DatabaseError extends Error {
  code?: string;
  /** FATAL: the connection is gone, or was never to be had. */
  severity?: string;
  constraint?: string;
  routine?: string;
  table?: string;
}

const UNAVAILABLE_STATES = /^(08|53|57P0|57014$|55P03$|40001$|40P01$|25006$|25P03$)/;
const SOCKET_ERRORS = /^(ECONN|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|ENOTFOUND$|EAI_AGAIN$|ENOENT$)/;
const DRIVER_MESSAGES =
  /^(Query read timeout|Client was closed|timeout exceeded when trying to connect|timeout expired|Connection terminated|Client has encountered a connection error|Cannot use a pool after calling end|PGlite is clos)/;

const BROKEN_STATES = /^(57P01|57P02|57P05|08003|08006|ECONNRESET|EPIPE)$/;
const BROKEN_MESSAGES = /^(Connection terminated unexpectedly|Client has encountered a connection error)/;

/**
 * What a throw of TypeORM or node-postgres means to a caller: the database cannot be asked now (`unavailable`), it
 * refuses a value (`unstorable`), or neither.
 */
export function databaseFailure(error: unknown): 'unavailable' | 'unstorable' | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', severity, message } = driverError(error);
  if (severity === 'FATAL' || UNAVAILABLE_STATES.test(code)) return 'unavailable';
  if (SOCKET_ERRORS.test(code) || DRIVER_MESSAGES.test(message)) return 'unavailable';
  return /^22...$/.test(code) ? 'unstorable' : undefined;
}

export const sqlState = (error: unknown): string | undefined =>
  error instanceof Error ? driverError(error).code : undefined;

/** Whether this is a violation of the constraint of that name. */
export function violates(error: unknown, constraint: string): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '', constraint: violated } = driverError(error);
  return /^23...$/.test(code) && violated === constraint;
}

/** Whether a row cannot be deleted because one of another table refers to it. */
export const isReferenced = (error: unknown): boolean => /^(23503|23001)$/.test(sqlState(error) ?? '');

/** What may be logged of an error. PostgreSQL's message and detail repeat values, so of its errors neither is. */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: `threw a ${typeof error}` };
  const { code, constraint, table, routine } = driverError(error);
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  const message = /^(?=.*\d)[0-9A-Z]{5}$/.test(code ?? '') ? `SQLSTATE ${code}` : error.message;
  return { name: error.name, message, code, constraint, table, routine, stack: frames?.join('\n') };
}

/** The embedded database's errors are no `pg.DatabaseError`, so only their fields tell. */
const driverError = (error: Error): DatabaseError =>
  (error as { driverError?: DatabaseError }).driverError ?? error;

/**
 * Whether a connection that was good broke under a statement. One that cannot be made, or is silent, is another matter:
 * who asks again only waits again.
 */
export function connectionBroke(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '', message } = driverError(error);
  return BROKEN_STATES.test(code) || BROKEN_MESSAGES.test(message);
}

/** Whether the server undid the statement for the sake of another one, so that it may simply be run again. */
export const wasRolledBack = (error: unknown): boolean =>
  error instanceof Error && /^(40001|40P01)$/.test(driverError(error).code ?? '');

/** Whether the server refused a statement, and has done nothing of it, while it goes on taking others. */
export const wasRefused = (error: unknown): boolean =>
  /^(?=.*\d)(?!08|25006|53|57P0)[0-9A-Z]{5}$/.test(sqlState(error) ?? '');
