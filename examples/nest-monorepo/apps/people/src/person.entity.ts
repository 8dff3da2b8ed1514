import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** The application's own users, in a table of the same name as the service's. */
@Entity('users')
export class Person {
  @PrimaryGeneratedColumn()
  id: number;

  @Column()
  login: string;
}
