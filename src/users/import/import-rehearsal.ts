import type { DataSource, QueryRunner } from 'typeorm';
import type { Caller } from '../../http/caller';
import { decide, judge, keysOf, type Outcome } from './import-rules';
import { emailKey, type WritableFields } from '../user.fields';
import { findKnown } from './user-import';

/**
 * Says what an import would do, and does nothing. What earlier batches would have written is remembered in a temporary
 * table, of which a rolled back transaction leaves nothing either.
 */
export class ImportRehearsal {
  private runner?: QueryRunner;

  constructor(
    private readonly dataSource: DataSource,
    private readonly by: Caller,
    private readonly update: boolean,
  ) {}

  async add(rows: unknown[]): Promise<Outcome[]> {
    const runner = (this.runner ??= await this.begin());
    const judged = rows.map((row) => judge(row, this.update));
    const keys = keysOf(judged);
    const known = await findKnown(runner, this.by.organizationId, keys, false);
    const written: { person: WritableFields }[] = await runner.query(
      `SELECT person FROM pg_temp.rehearsed WHERE email_key = ANY ($1)`,
      [keys],
    );
    for (const { person } of written) known.set(emailKey(person.email), { id: 'rehearsed', person });
    const outcomes = decide(judged, known, this.update);
    const changes = [...known].filter(([, { id, changed }]) => id === undefined || changed);
    await runner.query(
      `INSERT INTO pg_temp.rehearsed SELECT key, person FROM json_to_recordset($1) AS r (key text, person json)
       ON CONFLICT (email_key) DO UPDATE SET person = excluded.person`,
      [JSON.stringify(changes.map(([key, { person }]) => ({ key, person })))],
    );
    return outcomes;
  }

  async close(): Promise<void> {
    await this.runner?.rollbackTransaction();
    await this.runner?.release();
  }

  private async begin(): Promise<QueryRunner> {
    const runner = this.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query(
      `CREATE TEMPORARY TABLE rehearsed (email_key text COLLATE "C" PRIMARY KEY, person json NOT NULL) ON COMMIT DROP`,
    );
    return runner;
  }
}
