import { constants } from 'node:os';
import { takeOverSignals } from '../process/signals';

/** Notes the first SIGINT or SIGTERM for a job that wants to end what it has begun; a second one ends the process. */
export class Interruption {
  signal?: NodeJS.Signals;
  private readonly signals = ['SIGINT', 'SIGTERM'] as const;

  constructor(private readonly onSignal: () => void) {
    for (const signal of this.signals) process.on(signal, this.note);
    takeOverSignals();
  }

  /** What a shell expects of a process that a signal has ended. */
  get exitCode(): number {
    return 128 + constants.signals[this.signal!];
  }

  end(): void {
    for (const signal of this.signals) process.off(signal, this.note);
  }

  private readonly note = (signal: NodeJS.Signals) => {
    if (this.signal) process.exit(this.exitCode);
    this.signal = signal;
    this.onSignal();
  };
}
