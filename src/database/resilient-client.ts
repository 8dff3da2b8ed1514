import pg from 'pg';

/**
 * A client that lives no longer than its connection is good. A statement that times out means that the connection may be
 * half open: it is cut, or it would return to the pool and hang every later caller.
 */
export class ResilientClient extends pg.Client {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- eight overloads
  override query(...args: any[]): any {
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      args[args.length - 1] = (error: Error | null, result: unknown) => {
        this.cutAfterTimeout(error);
        callback(error, result);
      };
    }
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as they came
    const result = (super.query as any)(...args);
    result?.then?.(undefined, (error: Error) => this.cutAfterTimeout(error));
    return result;
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- two overloads
  override connect(...args: any[]): any {
    const [callback] = args;
    if (typeof callback === 'function') {
      return super.connect((error: Error | null) => callback(error && unreachable(error)));
    }
    return super.connect().catch((error: Error) => Promise.reject(unreachable(error)));
  }

  private cutAfterTimeout(error: Error | null): void {
    if (error?.message !== 'Query read timeout') return;
    const { connection } = this as unknown as { connection: { stream: { destroy(error: Error): void } } };
    connection.stream.destroy(error);
  }
}

/** Whatever keeps a connection from being made, the server is unreachable: its address, its password, its certificate. */
const unreachable = (error: Error) => Object.assign(error, { severity: 'FATAL' });
