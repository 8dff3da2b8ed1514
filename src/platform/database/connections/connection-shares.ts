import type { NodeOf } from '../citus/node-of';
import { Bulkhead } from '../../fairness/bulkhead';
import { type Limit, LIMITS } from '../../fairness/limits';

/**
 * The cost class of a statement or transaction: `quick` waits for nothing, `write` may wait for a lock of another
 * transaction, and `heavy` keeps the server busy.
 */
export type Cost = 'quick' | 'write' | 'heavy';

/**
 * Shares the connections of the pool among the organizations, so that none holds up another, whatever its statements
 * wait for.
 */
export class ConnectionShares {
  /** Those of the configuration, as numbers of connections. */
  readonly limits: { all: Limit; write: Limit; heavy: Limit };
  private readonly bulkhead: Bulkhead;

  /** `connections` is the part of the pool that the service may use; `nodeOf` belongs to a distributed database. */
  constructor(
    connections: number,
    private readonly nodeOf?: NodeOf,
  ) {
    const of = (part: number) => Math.max(1, Math.floor(connections * part));
    const limitOf = (limit: Limit & { size: number; share: number }) => ({
      ...limit,
      size: of(limit.size),
      share: of(limit.share),
    });
    const { connections: all, writes: write, heavy } = LIMITS;
    this.limits = { all: limitOf(all), write: limitOf(write), heavy: limitOf(heavy) };
    this.bulkhead = new Bulkhead(this.limits.all, { write: this.limits.write, heavy: this.limits.heavy });
  }

  /** Runs a task that uses one connection and takes no share itself. Rejects with a 503 if it cannot begin in time. */
  async withConnection<Result>(
    cost: Cost,
    organizationId: string,
    task: () => Promise<Result>,
  ): Promise<Result> {
    const node = this.nodeOf && (await this.nodeOf(organizationId));
    return this.bulkhead.run(organizationId, task, { class: cost, group: node });
  }
}
