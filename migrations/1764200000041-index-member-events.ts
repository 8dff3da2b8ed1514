import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The events of members by the user. Their target is the group, so the index of targets does not find them. */
export class IndexMemberEvents1764200000041 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX events_organization_id_member_idx ON events (organization_id, (data #>> '{user,id}'), sequence)
        WHERE type IN ('group.member_added', 'group.member_removed')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX events_organization_id_member_idx`);
  }
}
