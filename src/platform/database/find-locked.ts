import type { EntityManager, EntityTarget, FindOptionsWhere, ObjectLiteral } from 'typeorm';

/** The row, locked until the transaction ends, or null. Others may still refer to it by a foreign key, as hosts do. */
export const findLocked = <Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  where: FindOptionsWhere<Entity>,
): Promise<Entity | null> => manager.findOne(entity, { where, lock: { mode: 'for_no_key_update' } });

/** A row of an organization that counts its versions. */
interface Versioned {
  organizationId: string;
  id: string;
  version: number;
  updatedAt: Date;
}

/** Writes changes to a locked row, increments its version, and returns the changed row. */
export async function updateLocked<Row extends Versioned, Changes extends object>(
  manager: EntityManager,
  entity: EntityTarget<ObjectLiteral>,
  before: Row,
  changes: Changes,
): Promise<Row & Changes> {
  const { raw: rows } = await manager
    .createQueryBuilder()
    .update(entity)
    // A transaction that has waited for a later one has the older now().
    .set({ ...changes, updatedAt: () => 'greatest(updated_at, now())' })
    .where({ organizationId: before.organizationId, id: before.id })
    .returning('version, updated_at AS "updatedAt"')
    .execute();
  return { ...before, ...changes, ...(rows as Pick<Row, 'version' | 'updatedAt'>[])[0] };
}
