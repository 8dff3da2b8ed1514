import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { describeError } from '../database/errors';

/** The injection token of whether this process does background work. */
export const BACKGROUND = Symbol('background');

/** Work that no request waits for, and that several processes may do at once without harm. */
export interface Job {
  /** For the log, as in "cannot <name>". */
  name: string;
  everyMs: number;
  /** Does what is due, in bites, and returns early when the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
}

/** Runs the jobs of this process, each at its interval with jitter, one at a time, until the service shuts down. */
@Injectable()
export class Background implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Background');
  private readonly stop = new AbortController();
  private readonly jobs: Job[] = [];
  private inProgress: Promise<void> = Promise.resolve();

  constructor(@Inject(BACKGROUND) private readonly isOn: boolean) {}

  /** Called by a feature when its module is created. */
  add(job: Job): void {
    this.jobs.push(job);
  }

  onApplicationBootstrap(): void {
    if (this.isOn) this.jobs.forEach((job) => this.schedule(job));
  }

  /** Waits for the job in progress, while the connections are still open. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort();
    await this.inProgress;
  }

  private schedule(job: Job): void {
    const delay = job.everyMs * (0.9 + Math.random() / 5);
    const timer = setTimeout(() => {
      this.inProgress = this.inProgress.then(() => this.run(job));
      void this.inProgress.then(() => this.stop.signal.aborted || this.schedule(job));
    }, delay).unref();
    this.stop.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  }

  private async run({ name, run }: Job): Promise<void> {
    if (this.stop.signal.aborted) return;
    await run(this.stop.signal).catch((error: unknown) =>
      this.logger.warn({ message: `cannot ${name}; it will be tried again`, error: describeError(error) }),
    );
  }
}
