import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the search asks: names in their order, parts of words by trigrams, and the words that a typo may have meant. */
export class CreateSearch1763600000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const extension of ['pg_trgm', 'btree_gin']) await createExtension(runner, extension);

    await runner.query(
      `CREATE INDEX users_organization_id_name_words_id_idx ON users (organization_id, name_words, id)`,
    );
    // Of other emails email_key tells how they begin.
    await runner.query(`
      CREATE INDEX users_organization_id_email_words_idx ON users (organization_id, email_words)
      WHERE octet_length(email_key) <> char_length(email_key)`);

    // Where in the order of names somebody stands, roughly: 1 to 26 for the letter that the name begins with, 1 before those
    // and 27 after them. So an index of matches gives the first ones in that order without all the others. Were it STRICT,
    // PostgreSQL would call it for each row instead of making it a part of the statement.
    await runner.query(`
      CREATE FUNCTION ums_initial(name_words text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
        CASE WHEN ascii(name_words) > 32 THEN 27 WHEN ascii(name_words) < 32 THEN 1
        ELSE least(greatest(ascii(substr(name_words, 2)) - 96, 1), 27) END`);
    await runner.query(`
      CREATE INDEX users_organization_id_search_text_idx ON users
      USING gin (organization_id, ums_initial(name_words), search_text gin_trgm_ops)`);

    // Two letters make no trigram. The pairs of base32 characters are left out: a random id holds each of those so often
    // that whoever walks the names soon meets it. In PL/pgSQL, which runs it in half the time that SQL takes.
    await runner.query(`
      CREATE FUNCTION ums_pairs(text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
        DECLARE
          base32 CONSTANT text := '0123456789abcdefghjkmnpqrstvwxyz';
          letters CONSTANT text[] := string_to_array($1, NULL);
        BEGIN
          RETURN ARRAY(
            SELECT one || two FROM unnest(letters, letters[2:]) AS pair (one, two)
            WHERE (strpos(base32, one) = 0 OR strpos(base32, two) = 0) AND one NOT IN (' ', E'\\n') AND two NOT IN (' ', E'\\n')
          );
        END
      $$`);
    await runner.query(`
      CREATE INDEX users_organization_id_pairs_idx ON users
      USING gin (organization_id, ums_initial(name_words), ums_pairs(search_text))`);

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
    await runner.query(`DROP INDEX users_organization_id_pairs_idx`);
    await runner.query(`DROP FUNCTION ums_pairs(text)`);
    await runner.query(`DROP INDEX users_organization_id_search_text_idx`);
    await runner.query(`DROP FUNCTION ums_initial(text)`);
    await runner.query(`DROP INDEX users_organization_id_email_words_idx`);
    await runner.query(`DROP INDEX users_organization_id_name_words_id_idx`);
  }
}

async function createExtension(runner: QueryRunner, name: string): Promise<void> {
  await runner.query(`CREATE EXTENSION IF NOT EXISTS ${name}`).catch((cause: Error) => {
    const database = runner.dataSource.driver.database;
    const message = `The search needs the extension ${name}, which this role may not create (${cause.message}). As a superuser run in the database ${database}: CREATE EXTENSION ${name};`;
    throw new Error(message, { cause });
  });
}
