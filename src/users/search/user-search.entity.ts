import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The text that the search compares. In its own table, so changes of other fields write to none of its indexes. */
@Entity('user_search')
export class UserSearchText {
  @PrimaryColumn({ name: 'user_id', type: 'text' })
  userId: string;

  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  @Column({ name: 'name_key', type: 'text' })
  nameKey: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text' })
  text: string;
}
