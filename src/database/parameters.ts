/** Collects the parameters of a statement. */
export class Parameters {
  readonly values: unknown[] = [];
  private readonly shared = new Map<string | null, string>();

  /** Returns the placeholder of the value. */
  bind(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** The same for a text that the statement has several times, always as a text: it is sent once. */
  share(text: string | null): string {
    let placeholder = this.shared.get(text);
    if (placeholder === undefined) this.shared.set(text, (placeholder = this.bind(text)));
    return placeholder;
  }
}
