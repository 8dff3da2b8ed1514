import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';
import { OnCluster } from '../../platform/database/citus/placements';
import { columnsOf } from '../../platform/database/columns';

export const ROLES = ['member', 'admin', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the types of TypeORM do not take unknown values
export type Metadata = Record<string, any>;

@Entity('users')
@OnCluster('anchor')
export class User {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  @PrimaryColumn({ type: 'text' })
  id: string;

  /** The caller's own id of the user. Unique in the organization. */
  @Column({ name: 'external_id', type: 'text', nullable: true })
  externalId: string | null;

  @Column({ type: 'text' })
  name: string;

  /** The form by which names are sorted. */
  @Column({ name: 'name_key', type: 'text', select: false })
  nameKey: string;

  @Column({ type: 'text' })
  email: string;

  /** The form in which emails are compared; unique in the organization. */
  @Column({ name: 'email_key', type: 'text', select: false })
  emailKey: string;

  /** The compared form of the directory's user name; null if that is the email. Unique in the organization. */
  @Column({ name: 'user_name_key', type: 'text', nullable: true })
  userNameKey: string | null;

  @Column({ type: 'text' })
  role: Role;

  @Column({ type: 'boolean', default: true })
  active: boolean;

  /** Not jsonb, which writes 5e-324 in 326 characters and does not keep the order of keys. */
  @Column({ type: 'json' })
  metadata: Metadata;

  /** Incremented with every change: by TypeORM, or by the statement of a batch or a restore. */
  @VersionColumn()
  version: number;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}

/** The fields that callers may set. */
export const WRITABLE_FIELDS = ['externalId', 'name', 'email', 'role', 'active', 'metadata'] as const;
export type UserFields = Pick<User, (typeof WRITABLE_FIELDS)[number]>;

/** All fields, in the order in which they are shown. */
export const USER_FIELDS = ['id', ...WRITABLE_FIELDS, 'version', 'createdAt', 'updatedAt'] as const;
export const USER_COLUMNS = columnsOf(User, USER_FIELDS);
