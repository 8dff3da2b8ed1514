import { Transactional, TransactionHost } from '@nestjs-cls/transactional';
import type { TransactionalAdapterTypeOrm } from '@nestjs-cls/transactional-adapter-typeorm';
import { Injectable } from '@nestjs/common';
import { type CreateUserDto, type UserRecord, UsersService } from 'user-management-service';
import { Badge } from './badge.entity.js';

@Injectable()
export class OnboardingService {
  constructor(
    private readonly transaction: TransactionHost<TransactionalAdapterTypeOrm>,
    private readonly users: UsersService,
  ) {}

  /** Creates a user of the service and its badge, or neither. */
  @Transactional()
  async welcome(organizationId: string, person: CreateUserDto, number: string): Promise<UserRecord> {
    const user = await this.users.within(this.transaction.tx).create(organizationId, person);
    await this.transaction.tx.insert(Badge, { organizationId, userId: user.id, number });
    return user;
  }

  /** The same for several people, all of them or none: the transaction of each call is this one. */
  @Transactional()
  async welcomeAll(
    organizationId: string,
    people: { person: CreateUserDto; number: string }[],
  ): Promise<void> {
    for (const { person, number } of people) await this.welcome(organizationId, person, number);
  }
}
