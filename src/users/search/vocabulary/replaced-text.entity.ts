import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** A search text that a user no longer has, until the sweep has removed its words from the vocabulary. */
@Entity('replaced_texts')
export class ReplacedText {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: string;

  @Column({ name: 'user_id', type: 'text' })
  userId: string;

  @Column({ type: 'text' })
  text: string;

  @Column({ name: 'replaced_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  replacedAt: Date;
}
