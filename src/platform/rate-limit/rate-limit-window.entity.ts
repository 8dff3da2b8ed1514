import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A window in which the hits of a caller are counted, in Unix milliseconds on the database's clock. */
@Entity('rate_limit_windows')
export class RateLimitWindow {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  /** Usually a token, or the subject of signed assertions; the hash of a network, in the organization `''`. */
  @PrimaryColumn({ name: 'token_id', type: 'text' })
  tokenId: string;

  @Column({ type: 'integer' })
  hits: number;

  @Column({ name: 'started_ms', type: 'bigint' })
  startedMs: string;

  /** The time of the last hit. */
  @Column({ name: 'counted_ms', type: 'bigint' })
  countedMs: string;
}
