import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DATABASE } from '../database/data-source';
import { ExpiryWarnings } from './expiry-warnings';
import { Token } from './token.entity';
import { TokensController } from './tokens.controller';
import { TokensService } from './tokens.service';

@Module({
  imports: [TypeOrmModule.forFeature([Token], DATABASE)],
  controllers: [TokensController],
  providers: [TokensService, ExpiryWarnings],
  exports: [TokensService],
})
export class TokensModule {
  static readonly entities = [Token];
}
