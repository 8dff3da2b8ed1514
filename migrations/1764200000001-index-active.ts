import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The orders of a list, with the names that their columns have in an index. */
const ORDERS = {
  created_at_id: 'created_at, id',
  updated_at_id: 'updated_at, id',
  name_key_name_id: 'name_key, name, id',
  email_key: 'email_key',
};

/**
 * One index for each order of a filtered list, in place of those without `active`. A list of several roles, or of both states, reads
 * the beginning of each part, so no combination of filters reads users that it does not return, however few those are.
 * On a cluster, a statement about an index of a distributed table is a query of its own, and about one index.
 */
export class IndexActive1764200000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(ORDERS)) {
      await runner.query(
        `CREATE INDEX users_organization_id_role_active_${name}_idx ON users (organization_id, role, active, ${columns})`,
      );
      await runner.query(`DROP INDEX users_organization_id_role_${name}_idx`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(ORDERS)) {
      await runner.query(
        `CREATE INDEX users_organization_id_role_${name}_idx ON users (organization_id, role, ${columns})`,
      );
      await runner.query(`DROP INDEX users_organization_id_role_active_${name}_idx`);
    }
  }
}
