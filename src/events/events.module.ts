import { Module } from '@nestjs/common';
import { BackgroundModule } from '../platform/background/background.module';
import { query } from '../platform/database/sql';
import type { Feature } from '../platform/feature/feature';
import { Event, TokenEvent } from './event/event.entity';
import { EventHead } from './log/event-head.entity';
import { emptyEvents } from './log/empty-events';
import { EventLog } from './log/event-log';
import { EventNumbering } from './log/event-numbering';
import { EventRetention } from './log/event-retention';
import { UserHistory } from './log/user-history';
import { EventsController } from './events.controller';
import { EventsService } from './events.service';
import { EventCursor, EventSubscriber } from './subscribers/event-cursor.entity';
import { EventCursors } from './subscribers/event-cursors';
import { EventDelivery } from './subscribers/event-delivery';
import { TokenEvents } from './log/token-events';

@Module({
  imports: [BackgroundModule],
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
  static readonly feature: Feature = {
    // Whoever numbers events or moves those of tokens holds rows of the first two, for which a deletion waits.
    entities: [EventHead, TokenEvent, Event, EventCursor, EventSubscriber],
    deletion: 'last', // every change of something else records an event
    personal: [
      {
        entity: Event,
        purge: (manager, ...user) => emptyEvents((statement) => query(manager, statement), ...user),
        export: { as: 'events' },
      },
    ],
    ids: { event: 'evt' },
    tags: [
      {
        name: 'Events',
        description: 'What has happened in the organization: its audit trail, and a feed to follow.',
        idOf: 'event',
      },
    ],
  };
}
