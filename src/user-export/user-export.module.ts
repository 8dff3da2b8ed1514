import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { GroupsModule } from '../groups/groups.module';
import type { Feature } from '../platform/feature/feature';
import { ScimModule } from '../scim/scim.module';
import { UsersModule } from '../users/users.module';
import { UserExportController } from './user-export.controller';
import { UserExportService } from './user-export.service';

@Module({
  imports: [UsersModule, GroupsModule, ScimModule, EventsModule],
  controllers: [UserExportController],
  providers: [UserExportService],
})
export class UserExportModule {
  static readonly feature: Feature = { personal: [] };
}
