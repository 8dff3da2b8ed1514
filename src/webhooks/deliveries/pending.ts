import type { EntityManager } from 'typeorm';
import { insertSql } from '../../platform/database/columns';
import { pastSql } from '../../platform/database/claims';
import { newId } from '../../platform/database/id';
import { execute, query, type Sql, sql } from '../../platform/database/sql';
import { conflict } from '../../platform/http/fault';
import type { Webhook } from '../webhook/webhook.entity';
import { WebhookDelivery, WebhookReplay } from './delivery.entity';

/** The maximum number of deliveries that have not been tried. Later events wait in the log. */
const MAX_UNTRIED = 100;

/** No deliveries are created beyond this many pending ones, or there would be one for each event of five days. */
const MAX_PENDING = 10_000;

/** The maximum number of deliveries that are read at once. */
const DELIVERIES_PER_READ = 100;

/** Each statement stays within the server's time limit, also on a busy server. */
const DELIVERIES_PER_STATEMENT = 1_000;

/** A delivery to create, of an event or a test. */
export type NewDelivery = Pick<WebhookDelivery, 'eventId' | 'sequence' | 'type' | 'isUnordered'>;

const pendingOf = ({ organizationId, id }: Webhook) =>
  sql`organization_id = ${organizationId} AND webhook_id = ${id} AND state = 'pending'`;

const isOrdered = ({ ordering }: Webhook) => ordering === 'organization';

export async function insertDeliveries(
  manager: EntityManager,
  { organizationId, id: webhookId }: Webhook,
  deliveries: NewDelivery[],
): Promise<void> {
  if (deliveries.length === 0) return;
  const rows = deliveries.map((delivery) => ({ organizationId, id: newId('dlv'), webhookId, ...delivery }));
  await execute(manager, insertSql(WebhookDelivery, rows));
}

/** How many more deliveries of events may be created now. */
export async function freeSlots(manager: EntityManager, webhook: Webhook): Promise<number> {
  const { untried, pending } = await countPending(manager, webhook);
  return Math.min(MAX_UNTRIED - untried, MAX_PENDING - pending);
}

/** Throws a 409 if the webhook has as many pending deliveries as it may have. */
export async function requirePendingQuota(manager: EntityManager, webhook: Webhook): Promise<void> {
  const { pending } = await countPending(manager, webhook);
  if (pending >= MAX_PENDING)
    throw conflict(
      `The webhook already has ${MAX_PENDING.toLocaleString('en')} pending deliveries. Try again later, or disable it to discard them.`,
    );
}

async function countPending(
  manager: EntityManager,
  webhook: Webhook,
): Promise<{ untried: number; pending: number }> {
  const [counts] = await query<{ untried: number; pending: number }>(
    manager,
    sql`SELECT (count(*) FILTER (WHERE attempts = 0))::integer AS untried, count(*)::integer AS pending FROM (
          SELECT attempts FROM ${WebhookDelivery}
          WHERE ${pendingOf(webhook)} LIMIT ${MAX_PENDING}
        ) AS pending`,
  );
  return counts;
}

/** Fails the deliveries whose ids a statement selects. */
export const failSql = (organizationId: string, ids: Sql): Sql =>
  sql`UPDATE ${WebhookDelivery} SET state = 'failed', next_attempt_at = NULL
      WHERE organization_id = ${organizationId} AND id = ANY (ARRAY(${ids}))`;

/**
 * Fails the pending deliveries of a webhook that is locked, and forgets the events that it should get again. Returns
 * whether deliveries are left, because there were more than there may be: `DiscardedDeliveries` fails the rest.
 */
export async function discardPending(manager: EntityManager, webhook: Webhook): Promise<boolean> {
  const { organizationId, id: webhookId } = webhook;
  await manager.delete(WebhookReplay, { organizationId, webhookId });
  const failSome = () =>
    execute(
      manager,
      failSql(
        organizationId,
        sql`SELECT id FROM ${WebhookDelivery} WHERE ${pendingOf(webhook)} LIMIT ${DELIVERIES_PER_STATEMENT}`,
      ),
    );
  for (let failed = 0; failed < MAX_PENDING; failed += DELIVERIES_PER_STATEMENT)
    if ((await failSome()) < DELIVERIES_PER_STATEMENT) return false;
  return manager.existsBy(WebhookDelivery, { organizationId, webhookId, state: 'pending' });
}

/** Null if nothing waits. With an order, the first delivery of the feed decides, even if later ones are due. */
export async function nextAttemptAt(manager: EntityManager, webhook: Webhook): Promise<Date | null> {
  const pending = pendingOf(webhook);
  const inTurnSql = isOrdered(webhook)
    ? sql`AND (is_beside OR id = (
        SELECT id FROM ${WebhookDelivery} WHERE ${pending} AND NOT is_beside ORDER BY sequence LIMIT 1))`
    : sql``;
  const [{ next }] = await query<{ next: Date | null }>(
    manager,
    sql`SELECT min(next_attempt_at) AS next FROM ${WebhookDelivery} WHERE ${pending} ${inTurnSql}`,
  );
  return next;
}

/** With an order, the pending deliveries of the feed are one queue, and each repetition is a queue of its own. */
export async function queuesOf(manager: EntityManager, webhook: Webhook): Promise<string[][]> {
  const pending = pendingOf(webhook);
  const due = await query<{ id: string }>(
    manager,
    sql`SELECT id FROM ${WebhookDelivery} WHERE ${pending} AND ${pastSql('next_attempt_at')} ${isOrdered(webhook) ? sql`AND is_beside` : sql``}
        ORDER BY next_attempt_at LIMIT ${DELIVERIES_PER_READ}`,
  );
  const queues = due.map(({ id }) => [id]);
  if (!isOrdered(webhook)) return queues;
  const inOrder = await query<{ id: string; isDue: boolean }>(
    manager,
    sql`SELECT id, ${pastSql('next_attempt_at')} AS "isDue" FROM ${WebhookDelivery} WHERE ${pending} AND NOT is_beside
        ORDER BY sequence LIMIT ${DELIVERIES_PER_READ}`,
  );
  const first = inOrder.findIndex(({ isDue }) => !isDue);
  const queue = inOrder.slice(0, first < 0 ? undefined : first).map(({ id }) => id);
  return queue.length > 0 ? [queue, ...queues] : queues;
}
