import type { EntityManager } from 'typeorm';
import { Event } from '../../events/event/event.entity';
import { columnsOf } from '../../platform/database/columns';
import { firstId } from '../../platform/database/id';
import { query, sql } from '../../platform/database/sql';
import type { Webhook } from '../webhook/webhook.entity';
import { WebhookReplay } from './delivery.entity';
import { freeSlots, insertDeliveries, type NewDelivery } from './pending';

/** The number of events that a step reads. */
const EVENTS_PER_STEP = 200;

/** The number of steps in a transaction, during which the webhook is locked. */
const MAX_STEPS = 10;

/**
 * An event may have been created this long before or after it occurred: later in a long transaction, or by another
 * clock than that of the database.
 */
const MAX_SKEW_MS = 24 * 60 * 60_000;

/** The last event read, whether all slots are taken, and whether there may be more events. */
interface FanOutProgress {
  sequence: string;
  isFull: boolean;
  hasMore: boolean;
}

/** Creates deliveries of the next events while slots are free. The lock of the webhook makes it one for each event. */
export async function fanOut(manager: EntityManager, webhook: Webhook): Promise<FanOutProgress> {
  const { organizationId } = webhook;
  let { sequence } = webhook;
  for (let step = 0; step < MAX_STEPS; step++) {
    const free = await freeSlots(manager, webhook);
    if (free <= 0) return { sequence, isFull: true, hasMore: false };
    // Replays take the slots that new events leave.
    const events = await nextEvents(manager, organizationId, sequence);
    if (events.length > 0) sequence = (await deliver(manager, webhook, events, free)).sequence;
    else if (!(await replayNext(manager, webhook, free))) return { sequence, isFull: false, hasMore: false };
  }
  return { sequence, isFull: false, hasMore: true };
}

/** Creates deliveries of events to send again. Returns whether there were any. */
async function replayNext(manager: EntityManager, webhook: Webhook, free: number): Promise<boolean> {
  const { organizationId, id } = webhook;
  const where = { organizationId, webhookId: id };
  const range = await manager.findOne(WebhookReplay, { where, order: { id: 'ASC' } });
  if (!range) return false;
  const owned = { organizationId, id: range.id };
  const events = await nextOfRange(manager, organizationId, range);
  if (events.length === 0) {
    await manager.delete(WebhookReplay, owned);
    return true;
  }
  const last = await deliver(manager, webhook, events, free, range);
  await manager.update(WebhookReplay, owned, { lastId: last.id });
  return true;
}

type NextEvent = Pick<Event, 'id' | 'type' | 'occurredAt'> & { sequence: string };
const NEXT_EVENT = columnsOf(Event, ['id', 'sequence', 'type', 'occurredAt']).select;

const nextEvents = (manager: EntityManager, organizationId: string, after: string): Promise<NextEvent[]> =>
  query<NextEvent>(
    manager,
    sql`SELECT ${NEXT_EVENT} FROM ${Event} WHERE organization_id = ${organizationId} AND sequence > ${after}::bigint
        ORDER BY sequence LIMIT ${EVENTS_PER_STEP}`,
  );

/** Reads the range by ids, which begin with the time of their creation: events have no index by time. */
function nextOfRange(
  manager: EntityManager,
  organizationId: string,
  { since, until, lastId, last }: WebhookReplay,
): Promise<NextEvent[]> {
  const first = firstId('evt', new Date(since.getTime() - MAX_SKEW_MS));
  const endSql = until ? sql`AND id < ${firstId('evt', new Date(until.getTime() + MAX_SKEW_MS))}` : sql``;
  return query<NextEvent>(
    manager,
    sql`SELECT ${NEXT_EVENT} FROM ${Event}
        WHERE organization_id = ${organizationId} AND id > ${lastId > first ? lastId : first} ${endSql} AND sequence <= ${last}::bigint
        ORDER BY id LIMIT ${EVENTS_PER_STEP}`,
  );
}

/** Creates deliveries of the events that match, outside the order if they are repeated. Returns the last event read. */
async function deliver(
  manager: EntityManager,
  webhook: Webhook,
  events: NextEvent[],
  free: number,
  repeated?: WebhookReplay,
): Promise<NextEvent> {
  const { since, until } = repeated ?? { since: null, until: null };
  const isWanted = ({ type, occurredAt }: NextEvent) =>
    (since === null || occurredAt >= since) &&
    (until === null || occurredAt < until) &&
    webhook.types.some((wanted) => wanted === '*' || wanted === type);
  const deliveries: NewDelivery[] = [];
  let [reached] = events;
  for (const event of events) {
    if (isWanted(event)) {
      if (deliveries.length === free) break;
      const { id: eventId, sequence, type } = event;
      deliveries.push({ eventId, sequence, type, isUnordered: repeated !== undefined });
    }
    reached = event;
  }
  await insertDeliveries(manager, webhook, deliveries);
  return reached;
}
