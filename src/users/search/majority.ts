import type { DataSource } from 'typeorm';
import { retryBroken } from '../../database/retry';
import { tableName } from '../../database/tables';

/** As long as statistics may be old before they are asked for again. */
const FRESH_MS = 60_000;

/**
 * Knows the organization that most users are of, if there is one, by PostgreSQL's statistics. To look up in an index that
 * a user is of it takes longer than to see that of those that are found. No answer depends on it.
 */
export class Majority {
  private asked = -Infinity;
  private organization: Promise<string | undefined> = Promise.resolve(undefined);

  constructor(private readonly dataSource: DataSource) {}

  async has(organizationId: string): Promise<boolean> {
    if (performance.now() - this.asked > FRESH_MS) {
      this.asked = performance.now();
      this.organization = this.ask().catch(() => undefined); // the search itself says that the database is gone
    }
    return (await this.organization) === organizationId;
  }

  private async ask(): Promise<string | undefined> {
    const rows: { id: string }[] = await retryBroken(() =>
      this.dataSource.query(
        `SELECT id FROM pg_stats, unnest(most_common_vals::text::text[], most_common_freqs) AS common (id, frequency)
         WHERE (schemaname, tablename) = (SELECT nspname, relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = $1::regclass)
           AND attname = 'organization_id' AND frequency > 0.5`,
        [tableName(this.dataSource, 'users')],
      ),
    );
    return rows[0]?.id;
  }
}
