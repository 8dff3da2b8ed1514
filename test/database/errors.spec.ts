/**
 * @only embedded: it uses no database
 */
import { connectionBroke, databaseFailure, violates } from '../../src/platform/database/errors';

const error = (code: string, message: string, more: object = {}) =>
  Object.assign(new Error(message), { code, severity: 'ERROR', ...more });

/** What the coordinator of a Citus cluster answered while a worker was killed, restarted or frozen. */
const FAILURES = [
  [
    '08006',
    'connection to the remote node u@10.0.0.2:5432 failed with the following error: Connection refused',
  ],
  [
    '08006',
    'connection to the remote node u@10.0.0.2:5432 failed with the following error: connection not open',
  ],
  ['57P01', 'terminating connection due to administrator command'],
  ['XX000', 'could not commit transaction for shard 102042 on at least one active node'],
  ['XX000', 'failure on connection marked as essential: 10.0.0.2:5432'],
  ['XX000', 'SSL SYSCALL error: EOF detected\ninvalid socket'],
  ['XX000', 'server closed the connection unexpectedly'],
] as const;

describe('a node of a cluster that fails', () => {
  it.each(FAILURES)('%s %s: the caller may try again, and a read is repeated', (code, message) => {
    expect(databaseFailure(error(code, message))).toBe('unavailable');
    expect(connectionBroke(error(code, message))).toBe(true);
  });

  it('is not any internal error', () => {
    const internal = error('XX000', 'cache lookup failed for relation 102042');
    expect(databaseFailure(internal)).toBeUndefined();
    expect(connectionBroke(internal)).toBe(false);
  });
});

describe('violates()', () => {
  const key = 'users_organization_id_email_key_key';
  it.each([key, `${key}_102018`])('knows a constraint that is called %s', (constraint) => {
    expect(violates(error('23505', 'duplicate key', { constraint }), key)).toBe(true);
    const message = `duplicate key value violates unique constraint "${constraint}"`;
    expect(violates(error('23505', message), key)).toBe(true);
  });

  it.each([`${key}_b`, `${key}_2_b`, `a_${key}`, ''])('is false for %p', (constraint) => {
    expect(violates(error('23505', `violates "${key}"`, { constraint }), key)).toBe(false);
    expect(violates(error('23505', `violates "${constraint}"`), key)).toBe(false);
  });

  it('is false for another error on the same constraint', () => {
    expect(violates(error('55P03', 'lock not available', { constraint: key }), key)).toBe(false);
  });
});

it.each([
  'Query runner already released. Cannot run queries anymore.',
  'Database connection provided by a query runner was already released, cannot continue to use its querying methods anymore.',
])('a connection that TypeORM has let go of in a transaction is a broken one: %s', (message) => {
  expect(databaseFailure(new Error(message))).toBe('unavailable');
  expect(connectionBroke(new Error(message))).toBe(true);
});
