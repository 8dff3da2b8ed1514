import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { User } from '../user/user.entity';
import { type UserJson, userFromJson } from '../user/user.json';
import { withKeys } from '../user/user.keys';
import { serializeUser } from '../user/user.serializer';

/** A user who has been deleted, and can be restored until it is purged. */
@Entity('deleted_users')
export class DeletedUser {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  @PrimaryColumn({ type: 'text' })
  id: string;

  /** The version of the user when it was deleted. */
  @Column({ type: 'integer' })
  version: number;

  @Column({ name: 'email_key', type: 'text' })
  emailKey: string;

  /** The user as it was last. */
  @Column({ type: 'json' })
  fields: UserJson;

  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  deletedAt: Date;
}

/** The deleted user that a user becomes. */
export const deletedUserOf = (user: User): Omit<DeletedUser, 'deletedAt'> => ({
  organizationId: user.organizationId,
  id: user.id,
  version: user.version,
  emailKey: withKeys({ email: user.email }).emailKey!,
  fields: serializeUser(user) as unknown as UserJson, // times become text
});

/** The user that a deleted user was. */
export const userOf = ({ organizationId, id, version, fields }: Omit<DeletedUser, 'emailKey'>): User =>
  userFromJson(organizationId, { ...fields, id, version });
