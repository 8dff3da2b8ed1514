import { Column, Entity, PrimaryColumn } from 'typeorm';

export const ROLES = ['member', 'admin', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export type Metadata = Record<string, unknown>;

@Entity('users')
export class User {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  @PrimaryColumn({ type: 'text' })
  id: string;

  @Column({ type: 'text' })
  name: string;

  /** What names are sorted by. */
  @Column({ name: 'name_key', type: 'text' })
  nameKey: string;

  @Column({ type: 'text' })
  email: string;

  /** What makes an address the same address, and what emails are sorted by. */
  @Column({ name: 'email_key', type: 'text' })
  emailKey: string;

  @Column({ type: 'text' })
  role: Role;

  // Not jsonb: that writes 5e-324 out in 326 characters, and forgets the order of keys.
  @Column({ type: 'json' })
  metadata: Metadata;

  /** The name as it is searched, and what results are sorted by. */
  @Column({ name: 'name_words', type: 'text', select: false })
  nameWords: string;

  @Column({ name: 'email_words', type: 'text', select: false })
  emailWords: string;

  /** The string values of the metadata as they are searched. */
  @Column({ name: 'metadata_words', type: 'text', select: false })
  metadataWords: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt: Date;
}

export const nameKey = (name: string) => name.toLowerCase();

export const emailKey = (email: string) => email.normalize('NFKC').toLowerCase();

/** What a response shows, as the columns of a statement. */
export const USER_COLUMNS =
  'id, name, email, role, metadata, created_at AS "createdAt", updated_at AS "updatedAt"';

const iso = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * The same where a response is all that is made of it: times and metadata as their text. To read them only to write them
 * again takes longer than all the rest of a list.
 */
export const TEXT_COLUMNS = `id, name, email, role, metadata::text AS metadata, ${iso('created_at')} AS "createdAt", ${iso('updated_at')} AS "updatedAt"`;

/** A user of those columns. */
export type UserText = Pick<User, 'id' | 'name' | 'email' | 'role'> &
  Record<'metadata' | 'createdAt' | 'updatedAt', string>;
