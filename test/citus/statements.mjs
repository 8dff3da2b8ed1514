// What the coordinator of a cluster sends to a worker, from the worker's log.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Settings with which a worker logs every statement with the name of its client, and no node sends any on its own. */
export const LOGGING = {
  logging_collector: 'on',
  log_line_prefix: '%a|',
  'citus.distributed_deadlock_detection_factor': -1,
  'citus.recover_2pc_interval': -1,
};

const CONTROL = /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET|SELECT assign_distributed_transaction_id)\b/;

/** All that the worker has logged. */
export function logOf({ data }) {
  const directory = join(data, 'log');
  return readdirSync(directory)
    .sort()
    .map((file) => readFileSync(join(directory, file), 'utf8'))
    .join('');
}

const STATEMENT = /^citus_internal[^|]*\|LOG: {2}(?:statement|execute [^:]*): ((?:.|\n\t)*)\n/gm;
const CONTEXT = /^citus_internal[^|]*\|CONTEXT/;

/** The statements of the coordinator in a log. Those that a function runs on the node itself have a context. */
export const statementsIn = (log) =>
  [...log.matchAll(STATEMENT)]
    .filter(
      ({ 0: entry, index }) => !CONTEXT.test(log.slice(index + entry.length, index + entry.length + 200)),
    )
    .map(([, sql]) => sql);

/** Whether a statement only begins or ends a transaction. */
export const isControl = (sql) => CONTROL.test(sql);
