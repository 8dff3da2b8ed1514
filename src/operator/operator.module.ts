import { Module } from '@nestjs/common';
import { TokensModule } from '../tokens/tokens.module';
import { OrganizationsModule } from '../organizations/organizations.module';
import { OrganizationsController } from './organizations.controller';

/** The routes of the operator, which exist only if it has a token. */
@Module({
  imports: [OrganizationsModule, TokensModule],
  controllers: [OrganizationsController],
})
export class OperatorModule {}
