/**
 * A map that may drop entries older than `lifetimeMs`. It keeps two generations and discards the older one as a whole,
 * so it needs neither timers nor sweeps and never holds more than the entries of two lifetimes.
 */
export class ExpiringMap<Key, Value> {
  private current = new Map<Key, Value>();
  private previous = new Map<Key, Value>();
  private startedAt = performance.now();

  constructor(private readonly lifetimeMs: number) {}

  get(key: Key): Value | undefined {
    this.rotate();
    return this.current.get(key) ?? this.previous.get(key);
  }

  set(key: Key, value: Value): void {
    this.rotate();
    this.current.set(key, value);
  }

  private rotate(): void {
    const age = performance.now() - this.startedAt;
    if (age < this.lifetimeMs) return;
    this.previous = age < 2 * this.lifetimeMs ? this.current : new Map();
    this.current = new Map();
    this.startedAt = performance.now();
  }
}
