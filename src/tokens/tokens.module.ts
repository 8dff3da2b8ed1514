import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { LastUse } from './last-use';
import { Token } from './token.entity';
import { TokenLookup } from './token-lookup';
import { TokensController } from './tokens.controller';
import { TokensService } from './tokens.service';

@Module({
  imports: [TypeOrmModule.forFeature([Token])],
  controllers: [TokensController],
  providers: [TokensService, TokenLookup, LastUse],
  exports: [TokensService, TokenLookup],
})
export class TokensModule {}
