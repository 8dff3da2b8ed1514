import { Column, type EntityManager } from 'typeorm';
import { query, raw, type Sql, sql } from './sql';

/** A process that has died loses its claims after this time. */
export const CLAIMED_FOR_MS = 30_000;

/** Longer than any pause. */
const LONGEST_PAUSE = sql`interval '30 hours'`;
/** Longer than a claim and any rest after it, even if the nodes of a cluster have different clocks. */
const LONGEST_CLAIM = sql`interval '40 seconds'`;

/** now() in milliseconds, like the columns. Otherwise rounding could put a value just written into the future. */
const NOW = raw('now()::timestamptz(3)');

/**
 * True once the time in a column has passed. A time further ahead than `longest` is from before the server's clock was
 * set back: it counts as passed, or nothing would be done until the clock has caught up.
 */
export const pastSql = (column: string, longest = LONGEST_PAUSE): Sql =>
  sql`(${raw(column)} <= ${NOW} OR (${raw(column)} > ${NOW} + ${longest} AND ${raw(column)} < 'infinity'))`;

/** True for a row that no process has claimed. */
export const UNCLAIMED_SQL = pastSql('claimed_until', LONGEST_CLAIM);

/** The columns of a table whose rows processes claim. */
export abstract class Claimable {
  /**
   * Nothing of the row is due before this time. A claim postpones it to its own end, so whoever releases the row sets
   * it again.
   */
  abstract dueAt: Date;

  /** Counts the claims, so that a process whose claim has expired can no longer renew or release it. */
  @Column({ type: 'bigint', default: 0 })
  claim: string;

  /** The end of the last claim, or of the rest after it: the row with the earliest has waited the longest. */
  @Column({ name: 'claimed_until', type: 'timestamptz', precision: 3, default: '-infinity' })
  claimedUntil: Date;
}

/** The right of one process to work at a row of a `Claimable`. */
export interface Claim {
  organizationId: string;
  /** What `claim` has been since then. */
  number: string;
  /** How long the row rests after the release, at most as long as a claim. */
  restMs?: number;
}

const END = sql`now() + ${CLAIMED_FOR_MS} * interval '1 millisecond'`;

/** The assignments of an UPDATE that claims a row or renews a claim. If the process dies, the row is due again. */
export const CLAIMED_SQL = sql`claimed_until = ${END}, due_at = ${END}`;

/** The assignment of an UPDATE that releases a row, which then rests for a while. */
export const releasedSql = ({ restMs = 0 }: Claim): Sql =>
  sql`claimed_until = now() + ${restMs} * interval '1 millisecond'`;

/** Claims a row, and returns these columns of it. Undefined if another process was faster. */
export async function claimRow<Row>(
  manager: EntityManager,
  table: Function,
  rowSql: Sql,
  columns: Sql,
): Promise<(Row & Claim) | undefined> {
  const [row] = await query<Row & Claim>(
    manager,
    sql`UPDATE ${table} SET claim = claim + 1, ${CLAIMED_SQL} WHERE ${rowSql} AND ${UNCLAIMED_SQL}
        RETURNING organization_id AS "organizationId", claim AS number, ${columns}`,
  );
  return row;
}
