/** Collects the parameters of a statement. */
export class Parameters {
  readonly values: unknown[] = [];

  /** Returns the placeholder of the value. */
  bind(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}
