/**
 * How a DataLoader asks the database: what is asked for in one turn of the event loop is asked for in one statement, and
 * nothing is remembered. Its own schedule would ask at the end of each callback, and each connection's data is a callback.
 */
export const PER_TURN = {
  cache: false,
  maxBatchSize: 500,
  batchScheduleFn: (ask: () => void) => void setImmediate(ask),
};
