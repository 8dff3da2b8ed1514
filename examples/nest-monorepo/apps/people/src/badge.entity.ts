import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { Member } from './member.entity.js';

/** The badge of a user of the service. */
@Entity({ name: 'badges', synchronize: false })
export class Badge {
  @PrimaryColumn({ name: 'organization_id' })
  organizationId: string;

  @PrimaryColumn({ name: 'user_id' })
  userId: string;

  @Column()
  number: string;

  @ManyToOne(() => Member)
  @JoinColumn([
    { name: 'organization_id', referencedColumnName: 'organizationId' },
    { name: 'user_id', referencedColumnName: 'id' },
  ])
  member: Member;
}
