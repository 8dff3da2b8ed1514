import { Logger } from '@nestjs/common';
import type { QueryRunner } from 'typeorm';
import type { InTransaction, PreparedMigration } from '../src/database/migrate';

const USERS_PER_TRANSACTION = 1_000;
const REPORT_EVERY_MS = 5_000;

/** Writes the search text of the users of former releases, a thousand in a transaction, while the service runs. */
export class FillUserSearch1763700000001 implements PreparedMigration {
  async prepare(inTransaction: InTransaction): Promise<void> {
    const logger = new Logger('Migrations');
    let after = ['', ''];
    let reportedAt = performance.now();
    for (let done = 0; ; done += USERS_PER_TRANSACTION) {
      const last = await inTransaction((runner) => fill(runner, after));
      if (!last) return;
      after = last;
      if (performance.now() - reportedAt < REPORT_EVERY_MS) continue;
      reportedAt = performance.now();
      logger.log({
        message: 'writing the search text of existing users',
        users: done + USERS_PER_TRANSACTION,
      });
    }
  }

  /** The triggers of the migration before have written the text of those who came meanwhile. What is left is the vocabulary. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM search_words WHERE char_length(word) NOT BETWEEN 3 AND 16');
    // The former release never removed a word, so each is checked once, after those that come now.
    await runner.query(`
      INSERT INTO replaced_texts (organization_id, text, replaced_at)
      SELECT organization_id, string_agg(' ' || ums_encode(word), ''), now() + interval '1 hour'
      FROM (SELECT organization_id, word, row_number() OVER (PARTITION BY organization_id) / 50 AS part FROM search_words) AS parts
      GROUP BY organization_id, part`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM user_search');
  }
}

/** Returns the key of the last user, or undefined if there was none. */
async function fill(runner: QueryRunner, after: string[]): Promise<string[] | undefined> {
  // Statistics may make any index that begins with the organization look as good as the one in this order.
  await runner.query('SET LOCAL enable_sort = off');
  // Rows that a request is changing are waited for, before the statement below looks where they are.
  await runner.query(
    `SELECT FROM users WHERE (organization_id, id) > ($1, $2)
     ORDER BY organization_id, id LIMIT ${USERS_PER_TRANSACTION} FOR NO KEY UPDATE`,
    after,
  );
  const [last]: { organization_id: string; id: string }[] = await runner.query(
    `WITH bite AS MATERIALIZED (
       SELECT ctid AS row, users.*, left(ums_fold(name_key), 160) AS folded_name, coalesce(nullif(ums_fold(email_key), email_key), '') AS folded_email
       FROM users WHERE (organization_id, id) > ($1, $2)
       ORDER BY organization_id, id LIMIT ${USERS_PER_TRANSACTION} FOR NO KEY UPDATE
     ),
     updated AS (
       UPDATE users SET name_key = folded_name, email_fold = folded_email FROM bite
       WHERE users.ctid = row AND (users.name_key, users.email_fold) <> (folded_name, folded_email)
     ),
     searched AS (
       INSERT INTO user_search (organization_id, user_id, name_key, name, text)
       SELECT organization_id, id, folded_name, name, ums_encode(name_words) || E'\\n@' || ums_encode(email_words) || E'\\n#' || ums_encode(metadata_words)
       FROM bite WHERE email_words <> ''
       ON CONFLICT DO NOTHING
     )
     SELECT organization_id, id FROM bite ORDER BY organization_id DESC, id DESC LIMIT 1`,
    after,
  );
  return last && [last.organization_id, last.id];
}
