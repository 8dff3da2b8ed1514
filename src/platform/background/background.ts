import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Database } from '../database/database';
import type { Claim } from '../database/claims';
import { describeError } from '../database/errors';
import type { Sql } from '../database/sql';
import { COMMON_SHARE } from '../fairness/owners';
import { SERVICE_OPTIONS } from '../feature/options.module';
import { atMost } from './at-most';
import { ClaimedWork, type Due, type KindOfWork } from './claimed-work';

export interface BackgroundOptions {
  background: boolean;
}

/** Work that no request waits for. Several processes may do it at the same time. */
export interface Job {
  /** For the log, as in "cannot <name>". */
  name: string;
  everyMs: number;
  /** Does what is due, in parts, and returns early when the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
}

/** A job that handles one organization at a time, in small steps. */
export interface OrganizationsTask {
  /** For the log, as in "cannot <name> of an organization". */
  name: string;
  /** Selects up to `limit` organizations that have something to do, as `id`, in the order of their ids. */
  organizations(after: string, limit: number): Sql;
  /** Does a part of it, which takes a moment. Returns whether more is left. */
  part(organizationId: string, signal: AbortSignal): Promise<boolean>;
}

/** Rows that are kept for a limited time. */
export interface Retention {
  /** For the log, as in "cannot <name>". */
  name: string;
  everyMs: number;
  /** Selects organizations that have old rows, as in `OrganizationsTask`. Without it, the rows belong to none. */
  organizations?: OrganizationsTask['organizations'];
  /** Deletes up to `limit` old rows of an organization. */
  statement(organizationId: string, limit: number): Sql;
}

/** The old rows that one statement deletes, and the organizations that one statement finds. */
const PER_STATEMENT = 1_000;

/** How long the next organization waits for the one before it. */
const MOMENT_MS = 250;

/** How often a job that has much to do looks for organizations that have something to do meanwhile. */
const LOOK_EVERY_MS = 5_000;

/** The delay of the first run: short, so that processes that restart more often than the interval also do the work. */
const FIRST_AFTER_MS = 60_000;

/** The delay of a run that `trigger()` requests. */
const TRIGGERED_AFTER_MS = 1_000;

/** Runs each job soon after the start and then at its interval, with jitter, until the service shuts down. */
@Injectable()
export class Background implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Background');
  private readonly stop = new AbortController();
  /** All jobs, by the order in which they were added. */
  readonly jobs: Job[] = [];
  private readonly claimedWork: ClaimedWork<never, never>[] = [];
  private readonly timers = new Map<Job, NodeJS.Timeout>();
  private readonly inProgress = new Map<Job, Promise<void>>();
  private readonly requested = new Set<Job>();

  constructor(
    @Inject(SERVICE_OPTIONS) private readonly options: BackgroundOptions,
    private readonly database: Database,
  ) {}

  /** Called by a feature when its module is created. Returns the job. */
  add(job: Job): Job {
    this.jobs.push(job);
    return job;
  }

  /** Adds a job that deletes what is too old, a part of each organization in turn. */
  removeOld({ name, everyMs, organizations, statement }: Retention): Job {
    const part = async (organizationId: string) => {
      const deletion = statement(organizationId, PER_STATEMENT);
      return (await this.database.execute(organizationId, deletion)) === PER_STATEMENT;
    };
    const ofNone = async (signal: AbortSignal) => {
      let hasMore = true;
      while (hasMore && !signal.aborted) hasMore = await part(COMMON_SHARE);
    };
    const run = (signal: AbortSignal) =>
      organizations ? this.forEachOrganization({ name, organizations, part }, signal) : ofNone(signal);
    return this.add({ name, everyMs, run });
  }

  /** Work of a kind that processes claim. A job of the same feature calls its `look()`; a shutdown waits for it. */
  addWork<Item extends Due, Held extends Claim>(kind: KindOfWork<Item, Held>): ClaimedWork<Item, Held> {
    const work = new ClaimedWork(kind);
    this.claimedWork.push(work as unknown as ClaimedWork<never, never>);
    return work;
  }

  /**
   * Goes over the organizations, a part of each in turn, until nothing is left: what one has left comes after the
   * others. An organization that takes long, or fails, holds up no other one. One that fails is left to the next run.
   */
  async forEachOrganization(
    { name, organizations, part }: OrganizationsTask,
    signal: AbortSignal,
  ): Promise<void> {
    const inProgress = new Map<string, Promise<void>>();
    const failed = new Set<string>();
    let left: string[];
    const begin = async (organizationId: string) => {
      if (inProgress.has(organizationId) || failed.has(organizationId)) return;
      // In one step: between the two, the loop could miss what is left.
      const finish = (hasMore: boolean) => {
        inProgress.delete(organizationId);
        if (hasMore) left.push(organizationId);
      };
      const work = part(organizationId, signal).then(finish, (error: unknown) => {
        finish(false);
        failed.add(organizationId);
        const message = `cannot ${name} of an organization; it will be tried again`;
        this.logger.warn({ message, organizationId, error: describeError(error) });
      });
      inProgress.set(organizationId, work);
      await atMost(MOMENT_MS, work);
    };
    do {
      left = [];
      const end = performance.now() + LOOK_EVERY_MS;
      for await (const organizationId of this.found(organizations)) {
        if (signal.aborted) break;
        await begin(organizationId);
      }
      while (left.length > 0 && performance.now() < end && !signal.aborted) await begin(left.shift()!);
      if (left.length === 0) await atMost(LOOK_EVERY_MS, Promise.all(inProgress.values()));
    } while ((left.length > 0 || inProgress.size > 0) && !signal.aborted);
    await Promise.all(inProgress.values());
  }

  private async *found(organizations: OrganizationsTask['organizations']): AsyncGenerator<string> {
    let ids: string[];
    let after = '';
    do {
      const rows = await this.database.sweep<{ id: string }>(organizations(after, PER_STATEMENT));
      ids = rows.map(({ id }) => id);
      yield* ids;
      after = ids.at(-1) ?? after;
    } while (ids.length === PER_STATEMENT);
  }

  /** Runs the job in a moment rather than at its interval. */
  trigger(job: Job): void {
    if (!this.options.background || this.stop.signal.aborted || this.requested.has(job)) return;
    this.requested.add(job);
    if (!this.inProgress.has(job)) this.schedule(job, TRIGGERED_AFTER_MS); // else run() does
  }

  onApplicationBootstrap(): void {
    if (!this.options.background) return;
    for (const job of this.jobs) this.schedule(job, Math.min(FIRST_AFTER_MS, job.everyMs));
  }

  /** Waits for what is in progress, while the connections are still open. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort();
    for (const timer of this.timers.values()) clearTimeout(timer);
    await Promise.all([...this.inProgress.values(), ...this.claimedWork.map((work) => work.drain())]);
  }

  private schedule(job: Job, afterMs: number): void {
    const delay = afterMs * (0.9 + Math.random() / 5);
    clearTimeout(this.timers.get(job));
    this.timers.set(job, setTimeout(() => this.inProgress.set(job, this.run(job)), delay).unref());
  }

  private async run(job: Job): Promise<void> {
    this.requested.delete(job);
    try {
      await job.run(this.stop.signal);
    } catch (error) {
      const message = `cannot ${job.name}; it will be tried again`;
      this.logger.warn({ message, error: describeError(error) });
    }
    this.inProgress.delete(job);
    if (!this.stop.signal.aborted)
      this.schedule(job, this.requested.has(job) ? TRIGGERED_AFTER_MS : job.everyMs);
  }
}
