import { Module } from '@nestjs/common';
import { GroupsModule } from '../groups/groups.module';
import { ScimModule } from '../scim/scim.module';
import { UserExportController } from './user-export.controller';
import { UserExportService } from './user-export.service';

@Module({
  imports: [GroupsModule, ScimModule],
  controllers: [UserExportController],
  providers: [UserExportService],
})
export class UserExportModule {}
