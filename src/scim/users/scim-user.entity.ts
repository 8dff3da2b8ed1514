import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Resource } from '../schema/resource';
import type { StoredDirectoryUser } from './user-resource';

/** The attributes that a directory has set for a user, who may have been deleted since. Other users have no row. */
@Entity('scim_users')
export class ScimUser implements StoredDirectoryUser {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  @PrimaryColumn({ name: 'user_id', type: 'text' })
  userId: string;

  @Column({ name: 'user_name', type: 'text' })
  userName: string;

  @Column({ name: 'external_id', type: 'text', nullable: true })
  externalId: string | null;

  @Column({ type: 'json' })
  attributes: Resource;

  @Column({ type: 'text' })
  email: string;

  @Column({ type: 'text' })
  name: string;

  /** The names of those attributes that no directory has set: SCIM has derived them from the user. */
  @Column({ type: 'text', array: true, default: () => "'{}'" })
  derived: string[];

  /** The keys by which filters find the user; empty while the user is deleted. */
  @Column({ type: 'text', array: true, select: false })
  keys: string[];
}
