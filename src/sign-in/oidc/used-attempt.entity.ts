import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A sign-in attempt that has been used up. The table keeps an older name of it. */
@Entity('sign_in_rounds')
export class UsedAttempt {
  @PrimaryColumn({ type: 'text' })
  id: string;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt: Date;
}
