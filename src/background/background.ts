import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { describeError } from '../database/errors';
import { SERVICE_OPTIONS } from '../feature/options.module';

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

/** The delay of the first run: short, so that processes that restart more often than the interval also do the work. */
const FIRST_AFTER_MS = 60_000;

/** The delay of a run that `trigger()` requests. */
const TRIGGERED_AFTER_MS = 1_000;

/** Runs each job soon after the start and then at its interval, with jitter, until the service shuts down. */
@Injectable()
export class Background implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Background');
  private readonly stop = new AbortController();
  private readonly jobs: Job[] = [];
  private readonly timers = new Map<Job, NodeJS.Timeout>();
  private readonly inProgress = new Map<Job, Promise<void>>();
  private readonly requested = new Set<Job>();
  private readonly isOn: boolean;

  constructor(@Inject(SERVICE_OPTIONS) { background }: BackgroundOptions) {
    this.isOn = background;
  }

  /** Called by a feature when its module is created. Returns the job. */
  add(job: Job): Job {
    this.jobs.push(job);
    return job;
  }

  /** Runs the job in a moment rather than at its interval. */
  trigger(job: Job): void {
    if (!this.isOn || this.stop.signal.aborted || this.requested.has(job)) return;
    this.requested.add(job);
    if (!this.inProgress.has(job)) this.schedule(job, TRIGGERED_AFTER_MS); // else run() does
  }

  onApplicationBootstrap(): void {
    if (this.isOn) this.jobs.forEach((job) => this.schedule(job, Math.min(FIRST_AFTER_MS, job.everyMs)));
  }

  /** Waits for the jobs in progress, while the connections are still open. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort();
    for (const timer of this.timers.values()) clearTimeout(timer);
    await Promise.all(this.inProgress.values());
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
