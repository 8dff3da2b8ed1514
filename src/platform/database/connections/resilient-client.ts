import pg from 'pg';
import { sqlState } from '../errors';
import { touch } from './recently-used';
import { isWithNext, StatementBatch } from './statement-batch';
import { preparedNameOf } from './statement-names';

const QUERY_CANCELED = '57014';

/** Each takes memory of the server. */
const MAX_PREPARED = 200;

/** How TypeORM begins a transaction, and sets its isolation. */
const START = 'START TRANSACTION';
const SET = 'SET TRANSACTION ';

/** The most values of statements that go with the next one: beyond, they would be a long message with a long answer. */
const MAX_WAITING_VALUES = 50;

const NO_ANSWER = 'Query read timeout';

/** What the driver's types leave out. */
interface DriverConnection {
  close(statement: { type: 'S'; name: string }): void;
  /** The texts of the statements that it takes for prepared. */
  parsedStatements: Record<string, string>;
}

/** The open clients of each pool, by the configuration that they share. */
const peersOf = new WeakMap<object, Set<ResilientClient>>();

/**
 * A client that destroys its connection when a statement times out, here or on the server. The connection may be half
 * open, and the coordinator of a cluster waits for a node that hangs, even after it has reported the timeout. Back in
 * the pool, the connection would make a later caller hang.
 *
 * It prepares frequent statements, so that PostgreSQL parses each once per connection as long as it stays in use.
 */
export class ResilientClient extends pg.Client {
  /** Not behind a pooler, where the next transaction may have another connection that knows no such statement. */
  private canPrepare = false;
  private readonly prepared = new Map<string, string>();
  private isInTransaction = false;
  /** Statements that go with the next one. */
  private waiting: pg.QueryConfig[] = [];
  /** The number of statements without an answer, and the time of the last answer. */
  private running = 0;
  private answeredAt = 0;
  private readonly peers: Set<ResilientClient>;
  /** The milliseconds within which the server answers a statement; 0 if it may take any time. */
  private readonly statementMs: number;

  constructor(config: pg.ClientConfig = {}) {
    super(config);
    this.statementMs = config.statement_timeout || 0;
    this.peers = peersOf.get(config) ?? new Set();
    peersOf.set(config, this.peers);
    this.on('end', () => this.peers.delete(this));
    // Between the pool and TypeORM an error has no listener, and would end the process. The next statement reports it.
    this.on('error', () => {});
  }

  /**
   * What begins a transaction, and statements of it that are marked by `withNext()`, go with the next statement, which
   * reports their failures, too. So they have no round trip of their own.
   */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- eight overloads
  override query(...args: any[]): any {
    const [text, values] = args;
    if (typeof text === 'string' && typeof args.at(-1) !== 'function') {
      const statement = { name: this.nameOf(text, values), text, values };
      return this.isInTransaction || text === START
        ? this.queryInTransaction(statement)
        : this.send(statement);
    }
    // In the driver's queue this one comes after those.
    if (this.waiting.length > 0) this.sendTogether(this.waiting.splice(0)).catch(() => {});
    return this.send(...args);
  }

  private async queryInTransaction(statement: pg.QueryConfig): Promise<unknown> {
    const { text, values = [] } = statement;
    this.isInTransaction = text !== 'COMMIT' && text !== 'ROLLBACK';
    const hasBegun = this.waiting[0]?.text !== START;
    if (text === START || (text.startsWith(SET) && !hasBegun) || this.mayWait(values)) {
      this.waiting.push(statement);
      return { rows: [] };
    }
    const waiting = this.waiting.splice(0);
    if (text.startsWith('ROLLBACK')) return hasBegun ? this.send(statement) : { rows: [] };
    // Text without values may be several statements, which only go alone.
    const isSingle = values.length > 0 || text === 'COMMIT';
    if (waiting.length > 0 && !isSingle) await this.sendTogether(waiting.splice(0));
    const result = await (waiting.length > 0
      ? this.sendTogether([...waiting, statement])
      : this.send(statement));
    if (text === 'COMMIT' && result.command !== 'COMMIT')
      throw new Error('The transaction was rolled back, because a statement in it had failed.');
    return result;
  }

  private mayWait(values: unknown[]): boolean {
    const waiting = this.waiting.reduce((sum, one) => sum + (one.values?.length ?? 0), values.length);
    return isWithNext(values) && waiting <= MAX_WAITING_VALUES;
  }

  private sendTogether(statements: pg.QueryConfig[]): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      this.send(new StatementBatch(statements), (error: Error | null, result: pg.QueryResult) =>
        error ? reject(error) : resolve(result),
      );
    });
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the overloads of query()
  private send(...args: any[]): any {
    const sentAt = performance.now();
    const ended = (error: Error | null) => {
      this.running--;
      this.answeredAt = performance.now();
      this.destroyAfterTimeout(error, sentAt);
    };
    this.running++;
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      args[args.length - 1] = (error: Error | null, result: unknown) => {
        ended(error);
        callback(error, result);
      };
    }
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- passed on unchanged
    const result = (super.query as any)(...args);
    result?.then?.(() => ended(null), ended);
    return result;
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- two overloads
  override connect(...args: any[]): any {
    const [callback] = args;
    const connected = this.connectDirectly().catch((error: Error) => {
      this.connection.stream.destroy(); // the pool forgets a client that has not connected
      throw asFatal(error);
    });
    if (typeof callback !== 'function') return connected;
    void connected.then(() => callback(null, this), callback);
  }

  private async connectDirectly(): Promise<this> {
    await super.connect();
    const { rows } = await super.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    // A pooler assigns its own process ids.
    this.canPrepare = rows[0].pid === (this as unknown as { processID: number }).processID;
    this.answeredAt = performance.now();
    this.peers.add(this);
    return this;
  }

  /** The name for the driver, which prepares the statement if this connection does not have it. */
  private nameOf(text: string, values?: unknown[]): string | undefined {
    if (!this.canPrepare || !values?.length) return undefined;
    const name = preparedNameOf(text);
    const oldest = name && touch(this.prepared, name, name, MAX_PREPARED);
    if (oldest) {
      const connection = this.connection as unknown as DriverConnection;
      connection.close({ type: 'S', name: oldest });
      delete connection.parsedStatements[oldest];
    }
    return name;
  }

  /**
   * The whole network is often silent. Idle peers that have not been heard of since the server had to answer are
   * destroyed, too, or the next callers would wait for each of them as long.
   */
  private destroyAfterTimeout(error: Error | null, sentAt: number): void {
    if (!error || (error.message !== NO_ANSWER && sqlState(error) !== QUERY_CANCELED)) return;
    this.destroy(error);
    if (error.message !== NO_ANSWER) return;
    const dueAt = sentAt + this.statementMs;
    for (const peer of this.peers) if (peer.running === 0 && peer.answeredAt < dueAt) peer.destroy(error);
  }

  private destroy(error: Error): void {
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
