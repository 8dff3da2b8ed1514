import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** The application's own users. The table has the same name as the service's, in another schema. */
@Entity('users')
export class Person {
  @PrimaryGeneratedColumn()
  id: number;

  @Column()
  login: string;
}
