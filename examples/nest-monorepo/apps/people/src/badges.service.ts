import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type CreateUserDto, type UserRecord, UsersService } from 'user-management-service';
import { Badge } from './badge.entity.js';

@Injectable()
export class BadgesService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly users: UsersService,
  ) {}

  /** Creates a user of the service and its badge, or neither. */
  welcome(organizationId: string, person: CreateUserDto, number: string): Promise<UserRecord> {
    return this.dataSource.transaction(async (manager) => {
      const user = await this.users.within(manager).create(organizationId, person);
      await manager.insert(Badge, { organizationId, userId: user.id, number });
      return user;
    });
  }
}
