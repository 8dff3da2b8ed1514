import { Module } from '@nestjs/common';
import { ExpiryWarnings } from './expiry-warnings';
import { Token } from './token.entity';
import { TokensController } from './tokens.controller';
import { TokensService } from './tokens.service';

@Module({
  controllers: [TokensController],
  providers: [TokensService, ExpiryWarnings],
  exports: [TokensService],
})
export class TokensModule {
  static readonly entities = [Token];
}
