import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type CreateUserDto, UsersService } from 'user-management-service';
import { Badge } from './badge.entity.js';

@Injectable()
export class BadgesService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly users: UsersService,
  ) {}

  /** Creates a user of the service and its badge, or neither. */
  welcome(organizationId: string, person: CreateUserDto, number: string): Promise<Badge> {
    return this.dataSource.transaction(async (manager) => {
      const { id: userId } = await this.users.within(manager).create(organizationId, person);
      const badge = { organizationId, userId, number };
      await manager.insert(Badge, badge);
      return badge;
    });
  }
}
