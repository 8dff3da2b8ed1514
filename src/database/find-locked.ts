import type { EntityManager, EntityTarget, FindOptionsWhere, ObjectLiteral } from 'typeorm';

/** The row, locked until the transaction ends, or null. Others may still refer to it by a foreign key, as hosts do. */
export const findLocked = <Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  where: FindOptionsWhere<Entity>,
): Promise<Entity | null> => manager.findOne(entity, { where, lock: { mode: 'for_no_key_update' } });
