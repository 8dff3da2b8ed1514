import { migrations } from '../migrations';
import { Organization } from './auth/organization.entity';
import type { Schema } from './database/data-source';
import { Event } from './events/event.entity';
import { EventHead } from './events/log/event-head.entity';
import { EventCursor } from './events/subscribers/event-cursor.entity';
import { EventSubscriber } from './events/subscribers/event-subscriber.entity';
import { TokenEvent } from './events/token-event.entity';
import { IdempotencyKey } from './idempotency/idempotency-key.entity';
import { RateLimitWindow } from './rate-limit/rate-limit-window.entity';
import { Token } from './tokens/token.entity';
import { DeletedUser } from './users/deleted/deleted-user.entity';
import { ReplacedText } from './users/search/vocabulary/replaced-text.entity';
import { UserSearchText } from './users/search/search-texts';
import { Purge } from './users/search/vocabulary/vocabulary-sweep';
import { SearchWord } from './users/search/vocabulary/words';
import { User } from './users/user/user.entity';

/** The tables of the service, and the migrations and extensions that create them. */
export const schema = {
  entities: [
    Organization,
    Token,
    TokenEvent,
    User,
    DeletedUser,
    UserSearchText,
    SearchWord,
    ReplacedText,
    Purge,
    Event,
    EventHead,
    EventSubscriber,
    EventCursor,
    IdempotencyKey,
    RateLimitWindow,
  ],
  migrations,
  extensions: ['pg_trgm', 'btree_gin'],
} satisfies Schema;
