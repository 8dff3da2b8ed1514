/** Runs a statement, in a transaction or not. */
export type Query = (sql: string, values: unknown[]) => Promise<unknown>;
