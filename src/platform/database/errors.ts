import { inspect } from 'node:util';

interface DatabaseError extends Error {
  code?: string;
  /** FATAL: the connection is lost or could not be made. */
  severity?: string;
  constraint?: string;
  routine?: string;
  table?: string;
  /** The context, such as `while inserting index tuple (0,5) in relation "users_pkey"`. */
  where?: string;
}

const UNAVAILABLE_STATES = /^(08|53|57P0|57014$|55P03$|40001$|40P01$|25006$|25P03$)/;
const SOCKET_ERRORS = /^(ECONN|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|ENOTFOUND$|EAI_AGAIN$|ENOENT$)/;
const DRIVER_MESSAGES =
  /^(Query read timeout|Client was closed|timeout exceeded when trying to connect|timeout expired|Connection terminated|Cannot use a pool after calling end|PGlite is clos)/;

const BROKEN_STATES = /^(57P01|57P02|57P05|08003|08006|ECONNRESET|EPIPE)$/;
/** TypeORM lets go of a connection that breaks between two statements of a transaction, and then refuses the second. */
const BROKEN_MESSAGES =
  /^(Query runner already released|Database connection provided by a query runner was already released|Connection terminated unexpectedly|Client has encountered a connection error)/;

/** The messages of a Citus coordinator when a node fails with SQLSTATE XX000. Most failures have their own state. */
const NODE_MESSAGES =
  /^(failure on connection|connection (to the remote node|not open|lost)|could not (commit transaction for shard|establish|find any healthy placement|send data to server|receive data from server)|no connection to the server|server closed the connection|SSL SYSCALL error)/;

const nodeFailed = ({ code, message }: DatabaseError): boolean =>
  code === 'XX000' && NODE_MESSAGES.test(message);

/**
 * Classifies an error of TypeORM or node-postgres for a caller: the database cannot be used now (`unavailable`), it
 * rejects a value (`unstorable`), or neither.
 */
export function databaseFailure(error: unknown): 'unavailable' | 'unstorable' | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', severity, message } = driverError(error);
  if (severity === 'FATAL' || UNAVAILABLE_STATES.test(code) || connectionBroke(error)) return 'unavailable';
  if (SOCKET_ERRORS.test(code) || DRIVER_MESSAGES.test(message)) return 'unavailable';
  return /^22...$/.test(code) ? 'unstorable' : undefined;
}

export const sqlState = (error: unknown): string | undefined =>
  error instanceof Error ? driverError(error).code : undefined;

/**
 * Whether the error is a violation of this constraint. On a node of a cluster its name ends in the number of a shard,
 * and the coordinator passes on the message alone.
 */
export function violates(error: unknown, constraint: string): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '', constraint: violated, message } = driverError(error);
  return /^23...$/.test(code) && new RegExp(`\\b${constraint}(_\\d+)?\\b`).test(violated ?? message);
}

/** Whether the statement waited too long for a lock of another transaction. */
export const isLocked = (error: unknown): boolean => sqlState(error) === '55P03';

/** Whether the statement took too long. On a cluster, that is also how a wait for a lock on another node ends. */
export const isTimedOut = (error: unknown): boolean => sqlState(error) === '57014';

/** A handler for `.catch()`: throws the exception of the violated constraint, or the error itself if it has none. */
export const rethrowViolation =
  (exceptions: Record<string, () => Error>) =>
  (error: unknown): never => {
    const violated = Object.keys(exceptions).find((constraint) => violates(error, constraint));
    throw violated === undefined ? error : exceptions[violated]();
  };

/** Whether a row of another table refers to one that is deleted, or a new row to one that is not there. */
export const isReference = (error: unknown): boolean => /^(23503|23001)$/.test(sqlState(error) ?? '');

/** The same if such a reference forbids the statement. */
export const rethrowReference =
  (exception: () => Error) =>
  (error: unknown): never => {
    throw isReference(error) ? exception() : error;
  };

/** The loggable parts of an error. PostgreSQL's message and detail are left out, because they repeat values. */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: `threw a ${typeof error}` };
  const { code, constraint, table, routine } = driverError(error);
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  const message = /^(?=.*\d)[0-9A-Z]{5}$/.test(code ?? '') ? `SQLSTATE ${code}` : error.message;
  return { name: error.name, message, code, constraint, table, routine, stack: frames?.join('\n') };
}

/** The reason in anything thrown: the file system of the embedded database throws objects that are not errors. */
export const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : inspect(thrown, { breakLength: Infinity });

/** Not checked with `instanceof`, because errors of the embedded database are not a `pg.DatabaseError`. */
const driverError = (error: Error): DatabaseError =>
  (error as { driverError?: DatabaseError }).driverError ?? error;

/**
 * Whether an established connection broke during a statement, to this server or from it to another node. Failures to
 * connect and timeouts do not count, because a retry would only wait again.
 */
export function connectionBroke(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '', message } = driverError(error);
  return BROKEN_STATES.test(code) || BROKEN_MESSAGES.test(message) || nodeFailed(driverError(error));
}

/** Whether the server rolled back the statement because of a concurrent one, so that it can simply be retried. */
export const wasRolledBack = (error: unknown): boolean => /^(40001|40P01)$/.test(sqlState(error) ?? '');
