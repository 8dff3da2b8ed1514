import { Column, Entity, PrimaryColumn } from 'typeorm';
import { withDefaults } from '../user/user.changes';
import type { User } from '../user/user.entity';
import { withKeys } from '../user/user.keys';
import type { UserView } from '../user/user.view';

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

  /** The user as a response showed it before the deletion. */
  @Column({ type: 'json' })
  fields: Omit<UserView, 'createdAt' | 'updatedAt' | 'directory'> & Record<'createdAt' | 'updatedAt', string>;

  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  deletedAt: Date;
}

/** The user before its deletion. A field that it did not have yet gets its default. */
export const userOf = ({ organizationId, id, version, userNameKey, fields }: DeletedUser): User =>
  ({
    organizationId,
    id,
    ...withKeys(withDefaults(fields)),
    userNameKey,
    version,
    createdAt: new Date(fields.createdAt),
    updatedAt: new Date(fields.updatedAt),
  }) as User;
