import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is searched, in a table of its own: a change of anything else writes to no index of the search. Its indexes lead
 * neither to an organization nor to an order of names, so a search of its text has one way to go; see docs/search.md.
 */
export class CreateUserSearch1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE user_search (
        organization_id text COLLATE "C" NOT NULL,
        user_id         text COLLATE "C" NOT NULL,
        name_key        text COLLATE "C" NOT NULL,
        name            text COLLATE "C" NOT NULL,
        text            text COLLATE "C" NOT NULL,
        CONSTRAINT user_search_pkey PRIMARY KEY (user_id, organization_id),
        CONSTRAINT user_search_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id)
          REFERENCES users (organization_id, id) ON DELETE CASCADE
      )`);
    // Statistics of other organizations would tell nothing about this one.
    await runner.query(
      `ALTER TABLE user_search ALTER organization_id SET STATISTICS 0, ALTER text SET STATISTICS 0`,
    );
    await runner.query(
      `CREATE INDEX user_search_organization_id_text_idx ON user_search USING gin (organization_id, text gin_trgm_ops)`,
    );

    // Former search texts, until those of their words that no user has any more are out of the vocabulary.
    await runner.query(`
      CREATE TABLE replaced_texts (
        organization_id text COLLATE "C" NOT NULL,
        id              bigint GENERATED ALWAYS AS IDENTITY,
        text            text COLLATE "C" NOT NULL,
        replaced_at     timestamptz(3) NOT NULL DEFAULT now(),
        swept_at        timestamptz(3),
        CONSTRAINT replaced_texts_pkey PRIMARY KEY (organization_id, id)
      )`);
    await runner.query(`ALTER TABLE search_words ALTER spellings SET DEFAULT '{}'`);

    await runner.query(`
      ALTER TABLE users
        ADD email_fold text COLLATE "C" NOT NULL DEFAULT '',
        ALTER name_words SET DEFAULT '', ALTER email_words SET DEFAULT '', ALTER metadata_words SET DEFAULT ''`);
    await this.serveFormerRelease(runner);
  }

  /**
   * The former release writes the columns `…_words` and nothing of the above. While its replicas run, triggers write that for
   * them. The first two functions do in SQL what `foldName()` does with lower-case text, and `encode()`.
   */
  private async serveFormerRelease(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION ums_fold(text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
        DECLARE
          folded text := $1;
          pair text[];
        BEGIN
          IF folded ~ '[^\\x20-\\x7e]' THEN
            folded := lower(normalize(regexp_replace(normalize(folded, NFD), '[\\u0300-\\u036f]', '', 'g'), NFC) COLLATE "C");
            FOREACH pair SLICE 1 IN ARRAY ARRAY[['ß', 'ss'], ['æ', 'ae'], ['œ', 'oe'], ['ø', 'o'], ['đ', 'd'], ['ð', 'd'],
              ['þ', 'th'], ['ħ', 'h'], ['ł', 'l'], ['ı', 'i'], ['ς', 'σ']] LOOP
              folded := replace(folded, pair[1], pair[2]);
            END LOOP;
          END IF;
          RETURN btrim(regexp_replace(folded, '[\\x01-\\x20\\u1680\\u2028\\u2029\\ufeff]+', ' ', 'g'));
        END
      $$`);
    await runner.query(`
      CREATE FUNCTION ums_encode(text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
        DECLARE
          encoded text := replace(replace($1, '.', 'QA'), '@', 'QB');
          rest text := regexp_replace(encoded, '[a-zA-Z0-9 \\n]+', '', 'g');
          one text;
          point integer;
          code text;
        BEGIN
          WHILE rest <> '' LOOP
            one := left(rest, 1);
            rest := replace(rest, one, '');
            point := ascii(one);
            code := CASE
              WHEN point < 1280 THEN substr('RSTUW', point / 256 + 1, 1) || lpad(to_hex(point % 256), 2, '0')
              WHEN point < 65536 THEN 'V' || lpad(to_hex(point), 4, '0')
              ELSE 'Y' || lpad(to_hex(point - 65536), 5, '0') END;
            code := left(code, 1) || translate(substr(code, 2), '0123456789abcdef', 'ABCDEFGHIJKLMNOP');
            encoded := replace(encoded, one, code);
          END LOOP;
          RETURN encoded;
        END
      $$`);
    // With the schema of the service, wherever the statement that fires them looks for names.
    await runner.query(`
      CREATE FUNCTION ums_fold_keys() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        BEGIN
          NEW.name_key := left(ums_fold(NEW.name_key), 160);
          NEW.email_fold := coalesce(nullif(ums_fold(NEW.email_key), NEW.email_key), '');
          RETURN NEW;
        END
      $$`);
    // Columns that are empty say nothing: this release empties those of the fields that it writes.
    await runner.query(`
      CREATE FUNCTION ums_write_search() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        DECLARE
          former text;
        BEGIN
          IF TG_OP = 'UPDATE' THEN
            SELECT text INTO former FROM user_search WHERE user_id = NEW.id AND organization_id = NEW.organization_id FOR UPDATE;
          END IF;
          INSERT INTO user_search (organization_id, user_id, name_key, name, text)
          VALUES (NEW.organization_id, NEW.id, NEW.name_key, NEW.name,
            coalesce(nullif(ums_encode(NEW.name_words), ''), split_part(former, E'\\n@', 1), '') || E'\\n@' ||
            coalesce(nullif(ums_encode(NEW.email_words), ''), split_part(split_part(former, E'\\n@', 2), E'\\n#', 1), '') || E'\\n#' ||
            coalesce(nullif(ums_encode(NEW.metadata_words), ''), split_part(former, E'\\n#', 2), ''))
          ON CONFLICT (user_id, organization_id)
          DO UPDATE SET name_key = excluded.name_key, name = excluded.name, text = excluded.text;
          RETURN NULL;
        END
      $$`);
    const fields = ['name', 'email', 'metadata'];
    const written = {
      INSERT: `NEW.email_words <> ''`,
      UPDATE: [
        ...fields.map((field) => `NEW.${field}_words <> '' AND NEW.${field}_words <> OLD.${field}_words`),
        `NEW.name_words <> '' AND NEW.name <> OLD.name`,
        `NEW.email_words <> '' AND NEW.email_key <> OLD.email_key`,
      ].join(' OR '),
    };
    for (const [event, condition] of Object.entries(written)) {
      const name = `ums_former_release_${event.toLowerCase()}`;
      const trigger = `${event} ON users FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION`;
      await runner.query(`CREATE TRIGGER ${name}_keys BEFORE ${trigger} ums_fold_keys()`);
      await runner.query(`CREATE TRIGGER ${name} AFTER ${trigger} ums_write_search()`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DROP FUNCTION ums_fold(text), ums_encode(text), ums_write_search(), ums_fold_keys() CASCADE`,
    );
    await runner.query(`ALTER TABLE users DROP email_fold`);
    await runner.query(`ALTER TABLE search_words ALTER spellings DROP DEFAULT`);
    await runner.query(`DROP TABLE replaced_texts, user_search`);
  }
}
