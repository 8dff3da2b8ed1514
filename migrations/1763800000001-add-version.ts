import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts the changes of a user. The former release does not, so a trigger counts for it while its replicas run. */
export class AddVersion1763800000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE users ADD version integer NOT NULL DEFAULT 1`);
    await runner.query(`
      CREATE FUNCTION ums_count_version() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          NEW.version := OLD.version + 1;
          RETURN NEW;
        END
      $$`);
    await runner.query(`
      CREATE TRIGGER ums_former_release_version BEFORE UPDATE ON users
      FOR EACH ROW WHEN (NEW.version = OLD.version) EXECUTE FUNCTION ums_count_version()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION ums_count_version() CASCADE`);
    await runner.query(`ALTER TABLE users DROP version`);
  }
}
