import { withDefaults } from '../user-columns';
import type { User } from '../user.entity';
import type { UserFields } from '../user.fields';

/** A user, as it was when it was deleted. */
export interface DeletedUser extends User {
  deletedAt: Date;
}

/** A row of `DELETED_COLUMNS`. */
export interface DeletedRow {
  id: string;
  version: number;
  fields: Omit<UserFields, 'version' | 'createdAt' | 'updatedAt'> & { createdAt: string; updatedAt: string };
  deletedAt: Date;
}

export const DELETED_COLUMNS = 'id, version, fields, deleted_at AS "deletedAt"';

/** A field that was added since the user was deleted has its default. */
export const userOf = (
  organizationId: string,
  { id, version, fields, deletedAt }: DeletedRow,
): DeletedUser => ({
  organizationId,
  id,
  ...withDefaults(fields),
  version,
  createdAt: new Date(fields.createdAt),
  updatedAt: new Date(fields.updatedAt),
  deletedAt,
});
