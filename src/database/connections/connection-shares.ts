import { ServiceUnavailableException } from '@nestjs/common';
import type { NodeOf } from '../citus/node-of';

/**
 * The cost class of a statement or transaction: `quick` waits for nothing, `write` may wait for a lock of another
 * transaction, and `heavy` keeps the server busy.
 */
export type Cost = 'quick' | 'write' | 'heavy';

const COSTS: Cost[] = ['quick', 'write', 'heavy'];

/**
 * The shares of the connections that all organizations together, and a single one, may hold. All classes leave some to
 * the look-ups of tokens and the rate limit of a plain database, which take no share; writes and heavy work together
 * leave some to quick statements. The organizations on a node of a cluster have the share of one: they fail together.
 */
const SHARES = {
  total: { all: 0.9, one: 0.5 },
  quick: { all: 0.9, one: 0.5 },
  write: { all: 0.4, one: 0.2 },
  heavy: { all: 0.3, one: 0.2 },
};

/** The tasks of an organization that may wait in a class: all requests that a token may make in a minute. */
const MAX_WAITING = 1_000;

/** The tasks that wait to start, by organization. */
type Queues = Map<string, (() => void)[]>;

/**
 * A bulkhead: shares the connections of the pool among the organizations, so that none holds up another, whatever its
 * statements wait for. An organization whose share is in use waits for its own statements; those that wait take turns.
 */
export class ConnectionShares {
  /**
   * A task that has waited longer for its connection is refused. Heavy work waits longer for work of its own
   * organization: in a small pod a batch takes a second or two, and a dozen would be refused and come again.
   */
  maxQueueMs: Record<Cost, number> = { quick: 10_000, write: 10_000, heavy: 20_000 };
  private readonly held = new Map<string, number>();
  /** The waiting tasks, by class, node and organization. */
  private readonly waiting: Record<Cost, Map<string | undefined, Queues>> = {
    quick: new Map(),
    write: new Map(),
    heavy: new Map(),
  };
  private turn = 0;

  /** `connections` is the part of the pool that the service may use; `nodeOf` belongs to a distributed database. */
  constructor(
    private readonly connections: number,
    private readonly nodeOf?: NodeOf,
  ) {}

  /**
   * Runs a task that uses one connection and takes no share itself. Rejects with a 503 if too many tasks of the
   * organization wait already, or if the task has waited for too long.
   */
  async withConnection<Result>(
    cost: Cost,
    organizationId: string,
    task: () => Promise<Result>,
  ): Promise<Result> {
    const node = this.nodeOf && (await this.nodeOf(organizationId));
    if (!this.take(cost, node, organizationId)) await this.wait(cost, node, organizationId);
    try {
      return await task();
    } finally {
      this.give(cost, node, organizationId);
    }
  }

  private wait(cost: Cost, node: string | undefined, organizationId: string): Promise<void> {
    const queues = this.waiting[cost].get(node) ?? (new Map() as Queues);
    const queue = queues.get(organizationId) ?? [];
    if (queue.length >= MAX_WAITING) throw overloaded();
    this.waiting[cost].set(node, queues);
    queues.set(organizationId, queue);
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const refuse = () => {
        queue.splice(queue.indexOf(start), 1);
        if (queue.length === 0) queues.delete(organizationId);
        reject(overloaded());
      };
      const timer = setTimeout(refuse, this.maxQueueMs[cost]).unref();
      queue.push(start);
    });
  }

  /** False if the class, the node or the organization has no connection left. */
  private take(cost: Cost, node: string | undefined, organizationId: string): boolean {
    const shares = this.allShares(cost, node, organizationId);
    if (!this.areFree(shares)) return false;
    for (const { name } of shares) this.held.set(name, this.count(name) + 1);
    return true;
  }

  private give(cost: Cost, node: string | undefined, organizationId: string): void {
    for (const { name } of this.allShares(cost, node, organizationId)) {
      if (this.count(name) > 1) this.held.set(name, this.count(name) - 1);
      else this.held.delete(name);
    }
    // The classes take turns, too: where they share a single connection, one that never empties would keep it.
    this.turn++;
    for (let i = 0; i < COSTS.length; i++) this.startWaiting(COSTS[(this.turn + i) % COSTS.length]);
  }

  /** Starts waiting tasks of this class: the nodes take turns, and the organizations of each node. */
  private startWaiting(cost: Cost): void {
    const nodes = this.waiting[cost];
    for (const [node, organizations] of nodes) {
      if (!this.areFree(this.shares(cost))) return;
      if (!this.startOne(cost, node, organizations)) continue;
      nodes.delete(node);
      nodes.set(node, organizations); // behind the others
    }
  }

  /** Passes over few organizations, because each of those holds a connection. */
  private startOne(cost: Cost, node: string | undefined, organizations: Queues): boolean {
    for (const [organizationId, queue] of organizations) {
      if (node !== undefined && !this.areFree(this.shares(cost, node))) return false;
      if (!this.take(cost, node, organizationId)) continue;
      const start = queue.shift()!;
      organizations.delete(organizationId);
      if (queue.length > 0) organizations.set(organizationId, queue); // behind the others
      start();
      return true;
    }
    return false;
  }

  private areFree(shares: { name: string; limit: number }[]): boolean {
    return shares.every(({ name, limit }) => this.count(name) < limit);
  }

  private count(name: string): number {
    return this.held.get(name) ?? 0;
  }

  private allShares(cost: Cost, node: string | undefined, organizationId: string) {
    const ofNode = node === undefined ? [] : this.shares(cost, node);
    return [...this.shares(cost), ...this.shares(cost, organizationId), ...ofNode];
  }

  /** The limits of all organizations, those on a node, or a single one: in all classes together, and in this one. */
  private shares(cost: Cost, holder?: string) {
    return (['total', cost] as const).map((name) => {
      const { all, one } = SHARES[name];
      const limit = Math.max(1, Math.floor(this.connections * (holder === undefined ? all : one)));
      return { name: holder === undefined ? name : `${name} ${holder}`, limit };
    });
  }
}

const overloaded = () =>
  new ServiceUnavailableException('Too many requests of the organization are in progress. Try again.');
