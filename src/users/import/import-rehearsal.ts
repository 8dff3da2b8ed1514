import type { DataSource, QueryRunner } from 'typeorm';
import type { Caller } from '../../http/caller';
import { decide, type KnownUser, keysOf, type Mode } from '../batch/batch-rules';
import { findUsers } from '../batch/known-users';
import { judgeRows, type Outcome, outcomeOf } from './import-rows';

/**
 * Reports what an import would do, without writing users. A temporary table holds the users that earlier batches would
 * have written; a rollback removes it at the end.
 */
export class ImportRehearsal {
  private runner?: QueryRunner;

  constructor(
    private readonly dataSource: DataSource,
    private readonly by: Caller,
    private readonly mode: Mode,
  ) {}

  async add(rows: unknown[]): Promise<Outcome[]> {
    const runner = (this.runner ??= await this.begin());
    const query = (sql: string, values: unknown[]) => runner.query(sql, values);
    const judged = judgeRows(rows, this.mode);
    const keys = keysOf(judged);
    const known = await findUsers(this.dataSource, query, this.by.organizationId, keys);
    const rehearsed: { key: string; user: KnownUser }[] = await runner.query(
      `SELECT email_key AS key, known AS "user" FROM pg_temp.rehearsed WHERE email_key = ANY ($1)`,
      [keys],
    );
    for (const { key, user } of rehearsed) known.set(key, user);
    const decisions = decide(judged, known, { mode: this.mode, mayRepeat: true });
    const changes = [...known].filter(([, { stored, person }]) => stored !== person);
    await runner.query(
      `INSERT INTO pg_temp.rehearsed SELECT key, known FROM json_to_recordset($1) AS r (key text, known json)
       ON CONFLICT (email_key) DO UPDATE SET known = excluded.known`,
      [JSON.stringify(changes.map(([key, { id, person }]) => ({ key, known: { id, person } })))],
    );
    return decisions.map(outcomeOf);
  }

  async close(): Promise<void> {
    await this.runner?.rollbackTransaction();
    await this.runner?.release();
  }

  private async begin(): Promise<QueryRunner> {
    const runner = this.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query(
      `CREATE TEMPORARY TABLE rehearsed (email_key text COLLATE "C" PRIMARY KEY, known json NOT NULL) ON COMMIT DROP`,
    );
    return runner;
  }
}
