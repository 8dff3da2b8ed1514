import { ServiceUnavailableException } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { NodeOf } from './citus/node-of';

/**
 * What a statement may cost others: `quick` waits for nothing, `write` may wait for a lock of another transaction, and `heavy`
 * keeps the server busy.
 */
export type Lane = 'quick' | 'write' | 'heavy';

const LANES: Lane[] = ['quick', 'write', 'heavy'];

/**
 * The shares of the connections that all organizations together, and one of them, may hold. All lanes leave some to the
 * look-ups of tokens and the rate limit of a plain database, which take no lane; writes and heavy statements together leave
 * some to quick ones. The organizations of one node of a cluster together have the share of one, because they fail together.
 */
const SHARES = {
  total: { all: 0.9, one: 0.5 },
  quick: { all: 0.9, one: 0.5 },
  write: { all: 0.4, one: 0.2 },
  heavy: { all: 0.3, one: 0.2 },
};

/** How many statements of an organization may wait in a lane: what a token may ask in a minute, all at once. */
const MAX_WAITING = 1_000;

/** A statement that has waited longer is refused. */
const MAX_WAIT_MS = 10_000;

/** What waits to start, by organization. */
type Queues = Map<string, (() => void)[]>;

/**
 * Shares the connections of the pool among the organizations, so that none holds up another, whatever its statements wait
 * for. An organization whose share is in use waits for its own statements; organizations that wait take turns.
 */
export class Lanes {
  private readonly limits: typeof SHARES;
  private readonly held = new Map<string, number>();
  /** What waits, by lane, node and organization. */
  private readonly waiting: Record<Lane, Map<string | undefined, Queues>> = {
    quick: new Map(),
    write: new Map(),
    heavy: new Map(),
  };
  private turn = 0;

  /** `connections` is the part of the pool that the service may use; `nodeOf` belongs to a distributed database. */
  constructor(
    connections: number,
    private readonly nodeOf?: NodeOf,
  ) {
    const limit = (share: number) => Math.max(1, Math.floor(connections * share));
    const limits = Object.entries(SHARES).map(([name, { all, one }]) => [
      name,
      { all: limit(all), one: limit(one) },
    ]);
    this.limits = Object.fromEntries(limits) as typeof SHARES;
  }

  /**
   * Runs a task, which may use one connection, and no lane itself. Rejects with a 503 if too much of the organization waits
   * already, or if the task has waited for too long.
   */
  async run<Result>(lane: Lane, organizationId: string, task: () => Promise<Result>): Promise<Result> {
    const node = this.nodeOf && (await this.nodeOf(organizationId));
    if (!this.take(lane, node, organizationId)) await this.wait(lane, node, organizationId);
    try {
      return await task();
    } finally {
      this.give(lane, node, organizationId);
    }
  }

  private wait(lane: Lane, node: string | undefined, organizationId: string): Promise<void> {
    const queues = this.waiting[lane].get(node) ?? (new Map() as Queues);
    const queue = queues.get(organizationId) ?? [];
    if (queue.length >= MAX_WAITING) throw overloaded();
    this.waiting[lane].set(node, queues);
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
      const timer = setTimeout(refuse, MAX_WAIT_MS).unref();
      queue.push(start);
    });
  }

  /** False if the lane, the node or the organization has no connection left. */
  private take(lane: Lane, node: string | undefined, organizationId: string): boolean {
    const counts = this.countsOf(lane, node, organizationId);
    if (counts.some(({ name, limit }) => this.count(name) >= limit)) return false;
    for (const { name } of counts) this.held.set(name, this.count(name) + 1);
    return true;
  }

  private give(lane: Lane, node: string | undefined, organizationId: string): void {
    for (const { name } of this.countsOf(lane, node, organizationId)) {
      if (this.count(name) > 1) this.held.set(name, this.count(name) - 1);
      else this.held.delete(name);
    }
    // The lanes take turns, too: where they share a single connection, a lane that never empties would keep it.
    this.turn++;
    for (let i = 0; i < LANES.length; i++) this.startWaiting(LANES[(this.turn + i) % LANES.length]);
  }

  private startWaiting(lane: Lane): void {
    const nodes = this.waiting[lane];
    for (const [node, organizations] of nodes) {
      if (this.isFull(lane)) return;
      if (!this.startOne(lane, node, organizations)) continue;
      nodes.delete(node);
      nodes.set(node, organizations); // behind the others
    }
  }

  /** Passes over few organizations, because each of those holds a connection. */
  private startOne(lane: Lane, node: string | undefined, organizations: Queues): boolean {
    for (const [organizationId, queue] of organizations) {
      if (this.isNodeFull(lane, node)) return false;
      if (!this.take(lane, node, organizationId)) continue;
      const start = queue.shift()!;
      organizations.delete(organizationId);
      if (queue.length > 0) organizations.set(organizationId, queue); // behind the others
      start();
      return true;
    }
    return false;
  }

  private isFull(lane: Lane): boolean {
    return this.count('total') >= this.limits.total.all || this.count(lane) >= this.limits[lane].all;
  }

  private isNodeFull(lane: Lane, node: string | undefined): boolean {
    return this.sharesOf(lane, node).some(({ name, limit }) => this.count(name) >= limit);
  }

  private count(name: string): number {
    return this.held.get(name) ?? 0;
  }

  private countsOf(lane: Lane, node: string | undefined, organizationId: string) {
    const { total, [lane]: own } = this.limits;
    return [
      { name: 'total', limit: total.all },
      { name: lane, limit: own.all },
      ...this.sharesOf(lane, organizationId),
      ...this.sharesOf(lane, node),
    ];
  }

  /** What an organization may hold, or the organizations of a node. */
  private sharesOf(lane: Lane, holder: string | undefined) {
    if (holder === undefined) return [];
    return [
      { name: `total ${holder}`, limit: this.limits.total.one },
      { name: `${lane} ${holder}`, limit: this.limits[lane].one },
    ];
  }
}

/** The size of the data source's pool. */
export const poolSizeOf = (dataSource: DataSource): number =>
  (dataSource.driver as unknown as { master: { options: { max: number } } }).master.options.max;

const overloaded = () =>
  new ServiceUnavailableException('Too many requests of the organization are in progress. Try again.');
