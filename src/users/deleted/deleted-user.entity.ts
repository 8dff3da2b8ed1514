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

  @Column({ name: 'user_name_key', type: 'text', nullable: true })
  userNameKey: string | null;

  /** The user as it was before the deletion. */
  @Column({ type: 'json' })
  fields: UserJson;

  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  deletedAt: Date;
}

/** The deleted user for a user. */
export const deletedUserOf = (user: User): Omit<DeletedUser, 'deletedAt'> => ({
  organizationId: user.organizationId,
  id: user.id,
  version: user.version,
  emailKey: withKeys({ email: user.email }).emailKey!,
  userNameKey: user.userNameKey,
  fields: serializeUser(user) as unknown as UserJson, // times become text
});

/** The user before its deletion, with the fields that are shown. */
export const userOf = ({
  organizationId,
  id,
  version,
  fields,
}: Omit<DeletedUser, 'emailKey' | 'userNameKey'>): User =>
  userFromJson(organizationId, { ...fields, id, version });
