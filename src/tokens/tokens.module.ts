import { Module } from '@nestjs/common';
import { repositoryOf } from '../database/database.module';
import { LastUse } from './last-use';
import { Token } from './token.entity';
import { TokenLookup } from './token-lookup';
import { TokensService } from './tokens.service';

@Module({
  providers: [repositoryOf(Token), TokensService, TokenLookup, LastUse],
  exports: [TokensService, TokenLookup],
})
export class TokensModule {}
