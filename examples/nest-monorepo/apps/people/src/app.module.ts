import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import { UserManagementModule } from 'user-management-service';
import { BadgesService } from './badges.service.js';
import { database } from './database.js';
import { FailureFilter } from './failure.filter.js';
import { HealthController } from './health.controller.js';
import { MembersController } from './members.controller.js';
import { MetricsController } from './metrics.controller.js';
import { registry } from './metrics.js';
import { OnboardingService } from './onboarding.service.js';
import { PeopleController } from './people.controller.js';
import { Person } from './person.entity.js';
import { ReportsController } from './reports.controller.js';
import { currentUser, signIn } from './sessions.js';
import { TenantsService } from './tenants.service.js';
import { transactions } from './transactions.js';

@Module({
  imports: [
    TypeOrmModule.forRoot(database),
    TypeOrmModule.forFeature([Person]),
    transactions,
    ThrottlerModule.forRoot([{ limit: 20, ttl: 60_000 }]),
    UserManagementModule.forRoot({
      schema: 'ums',
      prefix: 'internal',
      dashboard: { signIn },
      currentUser,
      metrics: registry,
    }),
    TerminusModule,
  ],
  controllers: [PeopleController, ReportsController, MembersController, HealthController, MetricsController],
  providers: [
    TenantsService,
    BadgesService,
    OnboardingService,
    { provide: APP_GUARD, useClass: ThrottlerGuard },
    { provide: APP_FILTER, useClass: FailureFilter },
  ],
})
export class AppModule {}
