import { constants } from 'node:os';
import { takeOverSignals } from '../process/signals';

/** Lets a job finish its current step on the first SIGINT or SIGTERM; a second one ends the process. */
export class Interruption {
  signal?: NodeJS.Signals;
  private readonly signals = ['SIGINT', 'SIGTERM'] as const;

  constructor(private readonly onSignal?: () => void) {
    for (const signal of this.signals) process.on(signal, this.handle);
    takeOverSignals();
  }

  /** 128 plus the number of the signal, by the convention of shells. */
  get exitCode(): number {
    return 128 + constants.signals[this.signal!];
  }

  end(): void {
    for (const signal of this.signals) process.off(signal, this.handle);
  }

  private readonly handle = (signal: NodeJS.Signals) => {
    if (this.signal) process.exit(this.exitCode);
    this.signal = signal;
    this.onSignal?.();
  };
}
