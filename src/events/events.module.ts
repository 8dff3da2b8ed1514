import { type DynamicModule, Module } from '@nestjs/common';
import { EventLog } from './event-log';
import { EventNumbering } from './event-numbering';
import { EVENT_RETENTION_DAYS, EventRetention } from './event-retention';
import { EventsController } from './events.controller';
import { EventsService } from './events.service';
import { TokenEvents } from './token-events';

export interface EventsOptions {
  /** How many days events are kept. */
  eventRetentionDays: number;
}

@Module({
  controllers: [EventsController],
  providers: [EventsService, EventLog, EventNumbering, EventRetention, TokenEvents],
  exports: [EventsService, EventLog],
})
export class EventsModule {
  static with({ eventRetentionDays }: EventsOptions): DynamicModule {
    return {
      module: EventsModule,
      providers: [{ provide: EVENT_RETENTION_DAYS, useValue: eventRetentionDays }],
    };
  }
}
