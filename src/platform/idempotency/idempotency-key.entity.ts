import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A request that was done once, and its response. */
@Entity('idempotency_keys')
export class IdempotencyKey {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  @PrimaryColumn({ type: 'text' })
  path: string;

  @PrimaryColumn({ type: 'text' })
  key: string;

  /** SHA-256 of the bytes of the body. */
  @Column({ name: 'request_hash', type: 'bytea' })
  requestHash: Buffer;

  /** The user that the response shows; null if it shows none. */
  @Column({ name: 'user_id', type: 'text', nullable: true })
  userId: string | null;

  @Column({ type: 'json', nullable: true })
  response: object | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
