import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The organization of each window of the rate limit, by which a cluster distributes them, and the time of the last hit. The former
 * release counts in the same windows while its replicas run, and names no organization, so a trigger does.
 */
export class WindowByOrganization1763900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE rate_limit_windows
        ADD organization_id text COLLATE "C",
        ADD counted_ms      bigint NOT NULL DEFAULT 0`);
    await runner.query(`
      UPDATE rate_limit_windows SET organization_id = tokens.organization_id
      FROM tokens WHERE tokens.id = rate_limit_windows.token_id`);
    await runner.query(`DELETE FROM rate_limit_windows WHERE organization_id IS NULL`); // of tokens that are gone
    await runner.query(`ALTER TABLE rate_limit_windows ALTER organization_id SET NOT NULL`);
    await runner.query(`
      CREATE FUNCTION ums_find_organization() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        BEGIN
          NEW.organization_id := (SELECT organization_id FROM tokens WHERE id = NEW.token_id);
          RETURN NEW;
        END
      $$`);
    await runner.query(`
      CREATE TRIGGER ums_former_release_window BEFORE INSERT ON rate_limit_windows
      FOR EACH ROW WHEN (NEW.organization_id IS NULL) EXECUTE FUNCTION ums_find_organization()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION ums_find_organization() CASCADE`);
    await runner.query(`ALTER TABLE rate_limit_windows DROP organization_id, DROP counted_ms`);
  }
}
