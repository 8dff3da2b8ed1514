import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the search reads besides `users`; see docs/search.md. */
export class CreateSearch1764100000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- A table of its own, so that a change of anything else writes to no index of the search. Its key begins with the user:
      -- with the organization first, it would be a second way to the texts, one that reads the whole organization.
      CREATE TABLE user_search (
        organization_id text COLLATE "C" NOT NULL,
        user_id         text COLLATE "C" NOT NULL,
        name_key        text COLLATE "C" NOT NULL,
        name            text COLLATE "C" NOT NULL,
        text            text COLLATE "C" NOT NULL,
        CONSTRAINT user_search_pkey PRIMARY KEY (user_id, organization_id),
        CONSTRAINT user_search_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id)
          REFERENCES users (organization_id, id) ON DELETE CASCADE
      );
      ALTER TABLE user_search ALTER organization_id SET STATISTICS 0, ALTER text SET STATISTICS 0; -- as in users
      -- The write that fills the list of pending entries merges them into the index, so the list is short.
      CREATE INDEX user_search_organization_id_text_idx ON user_search USING gin (organization_id, text gin_trgm_ops)
        WITH (gin_pending_list_limit = 256);

      -- The words of an organization, which a misspelled query may mean.
      CREATE TABLE search_words (
        organization_id text COLLATE "C" NOT NULL,
        word            text COLLATE "C" NOT NULL,
        added_at        timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT search_words_pkey PRIMARY KEY (organization_id, word)
      );
      ALTER TABLE search_words ALTER organization_id SET STATISTICS 0;

      -- Replaced search texts, until those of their words that no user has are removed from search_words.
      CREATE TABLE replaced_texts (
        organization_id text COLLATE "C" NOT NULL,
        id              bigint GENERATED ALWAYS AS IDENTITY,
        user_id         text COLLATE "C" NOT NULL,
        text            text COLLATE "C" NOT NULL,
        replaced_at     timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT replaced_texts_pkey PRIMARY KEY (organization_id, id)
      );
      CREATE INDEX replaced_texts_organization_id_user_id_idx ON replaced_texts (organization_id, user_id);

      -- Purges, until the words that were added around that time have been looked at again.
      CREATE TABLE purges (
        organization_id text COLLATE "C" NOT NULL,
        id              bigint GENERATED ALWAYS AS IDENTITY,
        purged_at       timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT purges_pkey PRIMARY KEY (organization_id, id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE purges, replaced_texts, search_words, user_search`);
  }
}
