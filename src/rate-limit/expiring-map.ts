/**
 * A map whose entries may be dropped once they are `lifetimeMs` old. Two generations, the older thrown away whole: no
 * timers, no sweeps, and never more than what two lifetimes have put in.
 */
export class ExpiringMap<Key, Value> {
  private current = new Map<Key, Value>();
  private previous = new Map<Key, Value>();
  private startedAt = performance.now();

  constructor(private readonly lifetimeMs: number) {}

  get(key: Key): Value | undefined {
    this.turn();
    return this.current.get(key) ?? this.previous.get(key);
  }

  set(key: Key, value: Value): void {
    this.turn();
    this.current.set(key, value);
  }

  private turn(): void {
    const age = performance.now() - this.startedAt;
    if (age < this.lifetimeMs) return;
    this.previous = age < 2 * this.lifetimeMs ? this.current : new Map();
    this.current = new Map();
    this.startedAt = performance.now();
  }
}
