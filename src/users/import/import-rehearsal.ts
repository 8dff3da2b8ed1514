import type { DataSource, QueryRunner } from 'typeorm';
import type { Caller } from '../../http/caller';
import { decideOutcomes, emailKeysOf, type Outcome, validateRow } from './import-rules';
import { emailKey, type WritableFields } from '../user.fields';
import { findUsers } from './user-import';

/**
 * Reports what an import would do, without writing users. A temporary table holds the users that earlier batches would
 * have written; a rollback removes it at the end.
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
    const validated = rows.map((row) => validateRow(row, this.update));
    const keys = emailKeysOf(validated);
    const known = await findUsers(runner, this.by.organizationId, keys, false);
    const rehearsed: { person: WritableFields }[] = await runner.query(
      `SELECT person FROM pg_temp.rehearsed WHERE email_key = ANY ($1)`,
      [keys],
    );
    for (const { person } of rehearsed) known.set(emailKey(person.email), { person });
    const outcomes = decideOutcomes(validated, known, this.update);
    const changes = [...known].filter(([, { stored, person }]) => stored !== person);
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
