import pg from 'pg';

/** What the driver's types leave out. */
type Connection = pg.Connection & {
  /** The texts of the statements that it takes for prepared, and of those that have been sent to be prepared. */
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
  sync(): void;
};
interface Query {
  name?: string;
  text: string;
  callback?: Callback;
  _result: object;
  prepare(connection: Connection): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
}
type Callback = (error: Error | null, result?: pg.QueryResult) => void;

const WITH_NEXT = Symbol('with next');

/** Marks the values of a statement whose answer nobody needs: it may go with the next one of its transaction. */
export const withNext = <Values extends unknown[]>(values: Values): Values =>
  Object.assign(values, { [WITH_NEXT]: true });

export const isWithNext = (values: unknown[]): boolean => WITH_NEXT in values;

/**
 * Statements that go to the server together and are answered together, with the result of the last one. One Sync is
 * behind all of them, so the server skips those behind one that fails. The driver's option `pipeline` has a Sync behind
 * each: if START TRANSACTION failed, the next statement would be committed alone.
 */
export class StatementBatch implements pg.Submittable {
  /** The driver sets it. */
  callback?: Callback;
  private readonly queries: Query[];
  /** The number of statements that the server has completed. */
  private completed = 0;
  /** The one whose values cannot be sent, so that the server gets neither it nor what is behind it. */
  private unsendable?: Query;

  constructor(statements: readonly pg.QueryConfig[]) {
    this.queries = statements.map((statement) => new pg.Query(statement) as unknown as Query);
    this.last.callback = (error, result) => this.callback?.(error, result);
  }

  submit(open: pg.Connection): void {
    const connection = open as Connection;
    const unsynced = Object.create(connection, { sync: { value: () => {} } }) as Connection;
    let error: Error | undefined;
    connection.stream.cork();
    try {
      for (const query of this.queries) {
        const { callback } = query;
        query.callback = (reason) => (error = reason!);
        query.prepare(unsynced);
        query.callback = callback;
        if (!error) continue;
        this.unsendable = query;
        break;
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
    if (!error) return;
    const { name } = this.unsendable!;
    if (name) delete connection.parsedStatements[name]; // the driver has had it closed
    this.handleError(error, connection);
  }

  /** The driver asks for these when the server has parsed a statement, and takes it for prepared. */
  get name(): string | undefined {
    return this.current === this.unsendable ? undefined : this.current.name;
  }

  get text(): string {
    return this.current.text;
  }

  /** Of all statements, for what watches the driver. */
  get texts(): string[] {
    return this.queries.map(({ text }) => text);
  }

  /** The driver sets its types there. */
  get _result(): object {
    return this.last._result;
  }

  handleRowDescription(message: unknown): void {
    this.current.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.current.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: Connection): void {
    this.current.handleCommandComplete(message, connection);
    this.completed++;
  }

  handleReadyForQuery(connection: Connection): void {
    this.last.handleReadyForQuery(connection);
  }

  handleError(error: Error, { submittedNamedStatements }: Connection): void {
    // The server has not looked at what is behind the statement that failed.
    for (const { name } of this.queries) if (name) delete submittedNamedStatements[name];
    const { callback } = this;
    this.callback = () => {};
    callback?.(error);
  }

  private get last(): Query {
    return this.queries.at(-1)!;
  }

  private get current(): Query {
    return this.queries[Math.min(this.completed, this.queries.length - 1)];
  }
}
