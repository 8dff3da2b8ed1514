import type { EntityManager } from 'typeorm';

/** Erases what a table has of a user, in the transaction that purges the user. */
export type Erasure = (manager: EntityManager, organizationId: string, userId: string) => Promise<unknown>;

/** A table with data of users: what a purge does with it, and what the export of a user shows of it. */
export interface PersonalTable {
  entity: new () => object;
  /** What erases the data of a user, or the reason why a purge finds none. */
  purge: Erasure | string;
  /** The member of the export that shows the data, or the reason why it is not shown. */
  export: { as: string } | { not: string };
}

/** Deletes the rows that have the id of the user in this property. */
export const deleteRows =
  <Entity extends object>(entity: new () => Entity, property: keyof Entity & string): Erasure =>
  (manager, organizationId, userId) =>
    manager.delete(entity, { organizationId, [property]: userId });
