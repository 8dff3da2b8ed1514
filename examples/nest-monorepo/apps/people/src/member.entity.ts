import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The service's users, to read them and to join them with the application's own rows. Only the services write them. */
@Entity({ name: 'users', schema: 'ums', synchronize: false })
export class Member {
  @PrimaryColumn({ name: 'organization_id' })
  organizationId: string;

  @PrimaryColumn()
  id: string;

  @Column()
  name: string;
}
