import pg from 'pg';
import { sqlState } from './errors';

const QUERY_CANCELED = '57014';

/**
 * A client that destroys its connection when a statement times out, here or on the server. The connection may be half open, and
 * the coordinator of a cluster waits for a node that hangs, even after it has reported the timeout. Back in the pool, the
 * connection would make a later caller hang.
 */
export class ResilientClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    // Between the pool and TypeORM, nobody listens for a moment. An error then would end the process; the next statement reports it.
    this.on('error', () => {});
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- eight overloads
  override query(...args: any[]): any {
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      args[args.length - 1] = (error: Error | null, result: unknown) => {
        this.destroyAfterTimeout(error);
        callback(error, result);
      };
    }
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- passed on unchanged
    const result = (super.query as any)(...args);
    result?.then?.(undefined, (error: Error) => this.destroyAfterTimeout(error));
    return result;
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- two overloads
  override connect(...args: any[]): any {
    const [callback] = args;
    if (typeof callback === 'function') {
      return super.connect((error: Error | null) => callback(error && asFatal(error)));
    }
    return super.connect().catch((error: Error) => Promise.reject(asFatal(error)));
  }

  private destroyAfterTimeout(error: Error | null): void {
    if (!error || (error.message !== 'Query read timeout' && sqlState(error) !== QUERY_CANCELED)) return;
    const client = this as unknown as {
      _queryable: boolean;
      connection: { stream: { destroy(error: Error): void } };
    };
    // The pool looks at this before the socket reports its end, and would give the connection to the next caller.
    client._queryable = false;
    client.connection.stream.destroy(error);
  }
}

/** Every failure to connect counts as unavailable, whether the address, the password or the certificate causes it. */
const asFatal = (error: Error) => Object.assign(error, { severity: 'FATAL' });
