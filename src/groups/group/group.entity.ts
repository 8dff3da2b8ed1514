import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';
import { columnsOf } from '../../platform/database/columns';

/** A group of a directory. */
@Entity('groups')
export class Group {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  @PrimaryColumn({ type: 'text' })
  id: string;

  @Column({ name: 'display_name', type: 'text' })
  displayName: string;

  /** The form in which display names are compared and sorted; unique in the organization. */
  @Column({ name: 'display_name_key', type: 'text', select: false })
  displayNameKey: string;

  /** The id by which the directory knows the group. */
  @Column({ name: 'external_id', type: 'text', nullable: true })
  externalId: string | null;

  /** The number of rows of `group_members`. */
  @Column({ name: 'member_count', type: 'integer', default: 0 })
  memberCount: number;

  /** Incremented by every change that a directory makes to the group or its members. */
  @VersionColumn()
  version: number;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}

/** The fields that a directory may set. */
export type GroupFields = Pick<Group, 'displayName' | 'externalId'>;

/** The columns of a group in a SELECT. */
export const GROUP_COLUMNS = columnsOf(Group).select;

/** A row of `GROUP_COLUMNS`. */
export type GroupRow = Omit<Group, 'displayNameKey'>;
