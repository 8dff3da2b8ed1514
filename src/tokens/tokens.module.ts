import { Module } from '@nestjs/common';
import { BackgroundModule } from '../platform/background/background.module';
import { EventsModule } from '../events/events.module';
import type { Feature } from '../platform/feature/feature';
import { ExpiryWarnings } from './expiry-warnings';
import { Token } from './token/token.entity';
import { TokenRetention } from './token-retention';
import { TokensController } from './tokens.controller';
import { TokensService } from './tokens.service';

@Module({
  imports: [BackgroundModule, EventsModule],
  controllers: [TokensController],
  providers: [TokensService, ExpiryWarnings, TokenRetention],
  exports: [TokensService],
})
export class TokensModule {
  static readonly feature: Feature = {
    entities: [Token],
    deletion: 'first', // so that nothing can be done any more with the organization
    personal: [],
    ids: { token: 'tok' },
    tags: [
      {
        name: 'Tokens',
        description:
          'The API tokens of the organization. These operations are also served below `/api`, as `/api/v1/tokens`, so that a gateway ' +
          'needs only one rule.',
        idOf: 'token',
      },
    ],
  };
}
