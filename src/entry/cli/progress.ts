import type { Shell } from './shell';

/** Shows progress on standard error: one line that is updated on a terminal, one line per 10 % elsewhere. */
export class Progress {
  private readonly startedAt = performance.now();
  private shownAt = 0;
  private tenths = 0;
  private drawn = false;

  /** Without a `total`, it prints a line per 100,000 rows, or what they are called, instead. */
  constructor(
    private readonly total: number | undefined,
    private readonly to: Shell['stderr'],
    private readonly noun = 'row',
  ) {}

  get seconds(): number {
    return (performance.now() - this.startedAt) / 1000;
  }

  /** `done` is in the unit of `total`. */
  show(rows: number, done: number): void {
    const share = this.total ? Math.min(1, done / this.total) : undefined;
    if (this.to.isTTY) {
      if (performance.now() - this.shownAt < 200) return;
      this.shownAt = performance.now();
      this.drawn = true;
      this.to.write(`\r\x1b[K${this.line(rows, share)}`);
    } else {
      const tenths = share === undefined ? Math.floor(rows / 100_000) : Math.floor(share * 10);
      if (tenths <= this.tenths) return;
      this.tenths = tenths;
      this.to.write(`${this.line(rows, share)}\n`);
    }
  }

  /** Clears the line for the next output. */
  end(): void {
    if (this.drawn) this.to.write('\r\x1b[K');
  }

  private line(rows: number, share?: number): string {
    const rate = rows / this.seconds;
    const parts = [counted(rows, this.noun), `${counted(Math.round(rate), this.noun)}/s`];
    if (share !== undefined) {
      parts.unshift(`${Math.floor(share * 100)} %`);
      parts.push(`ETA ${clock(share > 0 ? (this.seconds / share) * (1 - share) : 0)}`);
    }
    return parts.join(', ');
  }
}

export const count = (n: number) => n.toLocaleString('en-US');

/** "1 row", "2,000 rows". */
export const counted = (n: number, noun: string) => `${count(n)} ${noun}${n === 1 ? '' : 's'}`;

const clock = (seconds: number) =>
  `${Math.floor(seconds / 60)}:${String(Math.round(seconds) % 60).padStart(2, '0')}`;
