import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the search asks: names in their order, parts of words by trigrams, and the words that a typo may have meant. */
export class CreateSearch1763600000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE EXTENSION IF NOT EXISTS pg_trgm`);
    await runner.query(`CREATE EXTENSION IF NOT EXISTS btree_gin`);

    await runner.query(
      `CREATE INDEX users_organization_id_name_words_id_idx ON users (organization_id, name_words, id)`,
    );
    // Of other emails email_key tells how they begin.
    await runner.query(`
      CREATE INDEX users_organization_id_email_words_idx ON users (organization_id, email_words)
      WHERE octet_length(email_key) <> char_length(email_key)`);
    await runner.query(`
      CREATE INDEX users_organization_id_search_text_idx ON users USING gin (organization_id, search_text gin_trgm_ops)`);

    await runner.query(`
      CREATE TABLE search_words (
        organization_id text COLLATE "C" NOT NULL,
        word            text COLLATE "C" NOT NULL,
        spellings       text[] NOT NULL,
        CONSTRAINT search_words_pkey PRIMARY KEY (organization_id, word)
      )`);
    await runner.query(
      `CREATE INDEX search_words_organization_id_spellings_idx ON search_words USING gin (organization_id, spellings)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE search_words`);
    await runner.query(`DROP INDEX users_organization_id_search_text_idx`);
    await runner.query(`DROP INDEX users_organization_id_email_words_idx`);
    await runner.query(`DROP INDEX users_organization_id_name_words_id_idx`);
  }
}
