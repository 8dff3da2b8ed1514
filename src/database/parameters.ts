/** Collects the parameters of a statement. */
export class Parameters {
  readonly values: unknown[] = [];

  /** Returns the placeholder of the value. */
  bind(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** A list of rows; the first names the types of all. */
  rows(types: string[], rows: unknown[][]): string {
    const list = rows.map((row, i) => {
      const cells = row.map((value, n) => this.bind(value) + (i === 0 ? `::${types[n]}` : ''));
      return `(${cells.join(', ')})`;
    });
    return `VALUES ${list.join(', ')}`;
  }
}
