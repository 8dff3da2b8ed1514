import pg from 'pg';

/**
 * A client whose query timed out is dead: its connection may be half open, and without this it goes back to the pool and
 * every later caller hangs on it. The pool drops a client whose socket is gone.
 */
export class ResilientClient extends pg.Client {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- eight overloads, of which none is touched
  override query(...args: any[]): any {
    const last = args.length - 1;
    if (typeof args[last] === 'function') {
      const callback = args[last];
      args[last] = (error: Error | null, result: unknown) => {
        this.destroyOnTimeout(error);
        callback(error, result);
      };
    }
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    const result = (super.query as any)(...args);
    result?.then?.(undefined, (error: Error) => this.destroyOnTimeout(error));
    return result;
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- two overloads
  override connect(...args: any[]): any {
    const [callback] = args;
    if (typeof callback === 'function') {
      return super.connect((error: Error | null) => callback(error && outOfReach(error)));
    }
    return super.connect().catch((error: Error) => Promise.reject(outOfReach(error)));
  }

  private destroyOnTimeout(error: Error | null): void {
    if (error?.message === 'Query read timeout') {
      (this as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    }
  }
}

/** Whatever keeps a connection from being made, the server is out of reach: its address, its password, its certificate. */
const outOfReach = (error: Error) => Object.assign(error, { severity: 'FATAL' });
