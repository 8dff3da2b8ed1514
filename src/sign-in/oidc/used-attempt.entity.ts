import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A sign-in round that has been used. */
@Entity('sign_in_rounds')
export class SignInRound {
  @PrimaryColumn({ type: 'text' })
  id: string;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt: Date;
}
