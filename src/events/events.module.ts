import { type DynamicModule, Module } from '@nestjs/common';
import { Event, TokenEvent } from './event/event.entity';
import { EventHead } from './log/event-head.entity';
import { EventLog } from './log/event-log';
import { EventNumbering } from './log/event-numbering';
import { EVENT_RETENTION_DAYS, EventRetention } from './log/event-retention';
import { UserHistory } from './log/user-history';
import { EventsController } from './events.controller';
import { EventsService } from './events.service';
import { EventCursor } from './subscribers/event-cursor.entity';
import { EventCursors } from './subscribers/event-cursors';
import { EventDelivery } from './subscribers/event-delivery';
import { EventSubscriber } from './subscribers/event-subscriber.entity';
import { type Subscriber, SUBSCRIBERS } from './subscribers/subscriber';
import { TokenEvents } from './log/token-events';

export interface EventsOptions {
  /** How many days events are kept. */
  eventRetentionDays: number;
  /** Functions of a host application that get the events. Default: none. */
  subscribers?: readonly Subscriber[];
}

@Module({
  controllers: [EventsController],
  providers: [
    EventsService,
    EventLog,
    EventNumbering,
    EventRetention,
    UserHistory,
    TokenEvents,
    EventCursors,
    EventDelivery,
  ],
  exports: [EventLog, EventNumbering, TokenEvents, UserHistory],
})
export class EventsModule {
  static readonly entities = [EventHead, TokenEvent, Event, EventCursor, EventSubscriber];

  static with({ eventRetentionDays, subscribers = [] }: EventsOptions): DynamicModule {
    return {
      module: EventsModule,
      global: true, // every feature may number and read events
      providers: [
        { provide: EVENT_RETENTION_DAYS, useValue: eventRetentionDays },
        { provide: SUBSCRIBERS, useValue: subscribers },
      ],
    };
  }
}
