import pg from 'pg';

type Callback = (error: Error | null, result: pg.QueryResult) => void;

/**
 * A client that lives no longer than its connection is good. A statement without an answer in time means that it may be half
 * open: it is cut, or it would go back to the pool and every later caller would hang on it.
 *
 * The driver has a timeout of its own, and promises; both make it assign a closure to a property of the query, and such a
 * closure V8 puts among the old objects, where it keeps the rows until the next full collection.
 */
export class ResilientClient extends pg.Client {
  private readonly timeoutMs?: number;

  constructor(config: pg.ClientConfig) {
    super(config);
    this.timeoutMs = config.query_timeout;
    const { connectionParameters } = this as unknown as { connectionParameters: pg.ClientConfig };
    connectionParameters.query_timeout = undefined;
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- eight overloads
  override query(config: any, values?: any, callback?: any): any {
    if (typeof values === 'function') return this.ask(config, undefined, values);
    if (typeof callback === 'function') return this.ask(config, values, callback);
    if (typeof config?.submit === 'function') return super.query(config); // it tells its caller itself
    return new Promise((resolve, reject) =>
      this.ask(config, values, (error, result) => (error ? reject(error) : resolve(result))),
    );
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- two overloads
  override connect(...args: any[]): any {
    const [callback] = args;
    if (typeof callback === 'function') {
      return super.connect((error: Error | null) => callback(error && outOfReach(error)));
    }
    return super.connect().catch((error: Error) => Promise.reject(outOfReach(error)));
  }

  private ask(statement: string, values: unknown[] | undefined, callback: Callback): void {
    const timer =
      this.timeoutMs && setTimeout(() => this.cut(new Error('Query read timeout')), this.timeoutMs);
    try {
      super.query(statement, values!, (error: Error | null, result: pg.QueryResult) => {
        clearTimeout(timer);
        callback(error, result);
      });
    } catch (error) {
      clearTimeout(timer);
      throw error;
    }
  }

  private cut(error: Error): void {
    (
      this as unknown as { connection: { stream: NodeJS.WritableStream & { destroy(error: Error): void } } }
    ).connection.stream.destroy(error);
  }
}

/** Whatever keeps a connection from being made, the server is out of reach: its address, its password, its certificate. */
const outOfReach = (error: Error) => Object.assign(error, { severity: 'FATAL' });
