import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A search with a typo reads the index of the texts, and needs no list of their words. */
export class DropVocabularies1764200000061 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE purges, replaced_texts, search_words`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE search_words (
        organization_id text COLLATE "C" NOT NULL,
        word            text COLLATE "C" NOT NULL,
        added_at        timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT search_words_pkey PRIMARY KEY (organization_id, word)
      );
      ALTER TABLE search_words ALTER organization_id SET STATISTICS 0;

      CREATE TABLE replaced_texts (
        organization_id text COLLATE "C" NOT NULL,
        id              bigint GENERATED ALWAYS AS IDENTITY,
        user_id         text COLLATE "C" NOT NULL,
        text            text COLLATE "C" NOT NULL,
        replaced_at     timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT replaced_texts_pkey PRIMARY KEY (organization_id, id)
      );
      CREATE INDEX replaced_texts_organization_id_user_id_idx ON replaced_texts (organization_id, user_id);

      CREATE TABLE purges (
        organization_id text COLLATE "C" NOT NULL,
        id              bigint GENERATED ALWAYS AS IDENTITY,
        purged_at       timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT purges_pkey PRIMARY KEY (organization_id, id)
      )`);
  }
}
