import type { EntityManager } from 'typeorm';
import { newId } from '../../database/id';
import { execute, query, rowsOf, sql } from '../../database/sql';
import { Event } from '../../events/event/event.entity';
import { EventHead } from '../../events/log/event-head.entity';
import type { Webhook } from '../webhook/webhook.entity';
import { WebhookDelivery } from './delivery.entity';
import { WebhookReplay } from './replay.entity';

/** The maximum number of deliveries that have not been tried. Later events wait in the log, where they take no room. */
const MAX_UNTRIED = 100;

/** No deliveries are created beyond this many pending ones. Otherwise there would be one for each event of five days. */
const MAX_PENDING = 10_000;

/** The number of events that a step reads. */
const EVENTS_PER_STEP = 200;

/** The number of steps in a transaction, during which the webhook is locked. */
const MAX_STEPS = 10;

/** The last event read, whether there is no more room, and whether there may be more events. */
interface Progress {
  sequence: string;
  isFull: boolean;
  hasMore: boolean;
}

type Source = Pick<Webhook, 'organizationId' | 'id' | 'types'>;

/** An event to send, or a test. */
type Sent = Pick<WebhookDelivery, 'eventId' | 'sequence' | 'type' | 'isBeside'>;

/** Creates deliveries of the next events while there is room. The webhook is locked, so each event gets one delivery. */
export async function fanOut(manager: EntityManager, webhook: Webhook): Promise<Progress> {
  const { organizationId } = webhook;
  let { sequence } = webhook;
  for (let step = 0; step < MAX_STEPS; step++) {
    const room = await roomOf(manager, webhook);
    if (room <= 0) return { sequence, isFull: true, hasMore: false };
    // What is sent again takes the room that new events leave.
    const events = await nextEvents(manager, organizationId, sequence);
    if (events.length > 0) sequence = await deliver(manager, webhook, events, room, false);
    else if (!(await replay(manager, webhook, room))) return { sequence, isFull: false, hasMore: false };
  }
  return { sequence, isFull: false, hasMore: true };
}

/** Creates deliveries of events to send again. Returns whether there were any. */
async function replay(manager: EntityManager, webhook: Source, room: number): Promise<boolean> {
  const { organizationId, id } = webhook;
  const [range] = await query<WebhookReplay>(
    manager,
    sql`SELECT id, since, until, sequence, last FROM ${WebhookReplay}
        WHERE organization_id = ${organizationId} AND webhook_id = ${id} ORDER BY id LIMIT 1`,
  );
  if (!range) return false;
  const events = await nextEvents(manager, organizationId, range.sequence, range.last);
  const owned = { organizationId, id: range.id };
  if (events.length === 0) {
    await manager.delete(WebhookReplay, owned);
    return true;
  }
  const isWithin = ({ occurredAt }: NextEvent) =>
    occurredAt >= range.since && (range.until === null || occurredAt < range.until);
  const judged = events.map((event) => ({ ...event, isOutside: !isWithin(event) }));
  await manager.update(WebhookReplay, owned, {
    sequence: await deliver(manager, webhook, judged, room, true),
  });
  return true;
}

interface NextEvent {
  id: string;
  sequence: string;
  type: string;
  occurredAt: Date;
  isOutside?: boolean;
}

const nextEvents = (
  manager: EntityManager,
  organizationId: string,
  after: string,
  last?: string,
): Promise<NextEvent[]> =>
  query<NextEvent>(
    manager,
    sql`SELECT id, sequence, type, occurred_at AS "occurredAt" FROM ${Event}
        WHERE organization_id = ${organizationId} AND sequence > ${after}::bigint
          ${last === undefined ? sql`` : sql`AND sequence <= ${last}::bigint`}
        ORDER BY sequence LIMIT ${EVENTS_PER_STEP}`,
  );

/** Creates deliveries of the events whose types match, and returns the last event that it read. */
async function deliver(
  manager: EntityManager,
  webhook: Source,
  events: NextEvent[],
  room: number,
  isBeside: boolean,
): Promise<string> {
  const isWanted = ({ type, isOutside }: NextEvent) =>
    !isOutside && webhook.types.some((wanted) => wanted === '*' || wanted === type);
  const sent: Sent[] = [];
  let reached = '0';
  for (const event of events) {
    if (isWanted(event)) {
      if (sent.length === room) break;
      sent.push({ eventId: event.id, sequence: event.sequence, type: event.type, isBeside });
    }
    reached = event.sequence;
  }
  await insertDeliveries(manager, webhook, sent);
  return reached;
}

export async function insertDeliveries(
  manager: EntityManager,
  { organizationId, id: webhookId }: Pick<Webhook, 'organizationId' | 'id'>,
  sent: Sent[],
): Promise<void> {
  if (sent.length === 0) return;
  const rows = sent.map(({ eventId, sequence, type, isBeside }) => [
    organizationId,
    newId('dlv'),
    webhookId,
    eventId,
    sequence,
    type,
    isBeside,
  ]);
  await execute(
    manager,
    sql`INSERT INTO ${WebhookDelivery} (organization_id, id, webhook_id, event_id, sequence, type, is_beside)
        VALUES ${rowsOf(rows)}`,
  );
}

/** How many more deliveries may be created now. */
export async function roomOf(
  manager: EntityManager,
  { organizationId, id }: Pick<Webhook, 'organizationId' | 'id'>,
): Promise<number> {
  const [{ untried, pending }] = await query<{ untried: number; pending: number }>(
    manager,
    sql`SELECT (count(*) FILTER (WHERE attempts = 0))::integer AS untried, count(*)::integer AS pending FROM ${WebhookDelivery}
        WHERE organization_id = ${organizationId} AND webhook_id = ${id} AND state = 'pending'`,
  );
  return Math.min(MAX_UNTRIED - untried, MAX_PENDING - pending);
}

/** The last number of the organization's events. */
export async function lastSequence(manager: EntityManager, organizationId: string): Promise<string> {
  const head = await manager.findOneBy(EventHead, { organizationId });
  return head?.sequence ?? '0';
}
