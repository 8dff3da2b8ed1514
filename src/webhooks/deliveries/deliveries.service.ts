import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Event } from '../../events/event/event.entity';
import { lastSequence } from '../../events/log/event-head.entity';
import { EventLog } from '../../events/log/event-log';
import { Database } from '../../platform/database/database';
import { isId, newId } from '../../platform/database/id';
import { sql } from '../../platform/database/sql';
import { type By, callerOf } from '../../platform/http/caller';
import { conflict, invalidInput, notFound } from '../../platform/http/fault';
import { validatedInput } from '../../platform/http/input/validate';
import { newestFirst, type Page, paginate } from '../../platform/pages/paginate';
import { Webhook } from '../webhook/webhook.entity';
import { webhookNotFound, writeWebhook } from '../webhook/write-webhook';
import { ListDeliveriesDto, RedeliverDto } from './delivery.dto';
import { DELIVERY_COLUMNS, TEST_TYPE, WebhookDelivery, WebhookReplay } from './delivery.entity';
import type { DeliveryView } from './delivery.view';
import { insertDeliveries, requirePendingQuota } from './pending';

const MAX_REPLAYS = 20;

/** Lists the deliveries of a webhook, and sends events again. */
@Injectable()
export class DeliveriesService {
  /** @internal Nest constructs it. */
  constructor(
    private readonly database: Database,
    private readonly log: EventLog,
  ) {}

  /** Newest first. */
  async list(by: By, webhookId: string, input: Partial<ListDeliveriesDto> = {}): Promise<Page<DeliveryView>> {
    const { organizationId } = callerOf(by);
    const { limit, cursor, state } = validatedInput(ListDeliveriesDto, input);
    const page = newestFirst(
      sql`SELECT ${DELIVERY_COLUMNS} FROM ${WebhookDelivery}
        WHERE organization_id = ${organizationId} AND webhook_id = ${webhookId} ${state ? sql`AND state = ${state}` : sql``}`,
      { limit, cursor },
      ['deliveries', organizationId, webhookId, state],
    );
    return this.database.read(organizationId, async (manager) => {
      const exists =
        isId('whk', webhookId) && (await manager.existsBy(Webhook, { organizationId, id: webhookId }));
      if (!exists) throw webhookNotFound();
      return paginate<DeliveryView>(manager, page);
    });
  }

  /** Sends a test event, which is not in the feed. Returns its id. */
  test(by: By, webhookId: string): Promise<string> {
    return this.write(by, webhookId, async (manager, webhook) => {
      const eventId = newId('evt');
      await insertDeliveries(manager, webhook, [
        { eventId, sequence: null, type: TEST_TYPE, isUnordered: true },
      ]);
      return eventId;
    });
  }

  /** Sends one event again, or all matching events of a period. Returns the id of the single event. */
  async redeliver(by: By, webhookId: string, input: RedeliverDto): Promise<string | null> {
    const { organizationId } = callerOf(by);
    const { eventId, since, until } = validatedInput(RedeliverDto, input);
    requireOneWay(eventId, since, until);
    // Finds all events that have been committed, like the feed.
    await this.log.catchUp(organizationId);
    return this.write(by, webhookId, async (manager, webhook) => {
      if (eventId !== undefined) {
        const event = await manager.findOneBy(Event, { organizationId, id: eventId });
        if (!event?.sequence) throw notFound('There is no such event.');
        const { sequence, type } = event;
        await insertDeliveries(manager, webhook, [{ eventId, sequence, type, isUnordered: true }]);
        return eventId;
      }
      await addReplay(manager, webhook, new Date(since!), until === undefined ? null : new Date(until));
      return null;
    });
  }

  /** Adds deliveries to a webhook that is locked, enabled, and within its quota of pending ones, and makes it due. */
  private write<Result>(
    by: By,
    id: string,
    work: (manager: EntityManager, webhook: Webhook) => Promise<Result>,
  ): Promise<Result> {
    const { organizationId } = callerOf(by);
    return writeWebhook(this.database, organizationId, id, async (manager, webhook) => {
      if (!webhook.enabled) throw conflict('The webhook is disabled. Enable it first.');
      await requirePendingQuota(manager, webhook);
      const result = await work(manager, webhook);
      await manager.update(Webhook, { organizationId, id }, { dueAt: () => `'-infinity'` });
      return result;
    });
  }
}

function requireOneWay(eventId?: string, since?: string, until?: string): void {
  const message = 'cannot be combined with eventId';
  if (eventId === undefined && since === undefined)
    throw invalidInput([{ field: 'eventId', code: 'required', message: 'is required, or since' }]);
  const extra = Object.entries({ since, until }).filter(([, value]) => value !== undefined);
  if (eventId !== undefined && extra.length > 0)
    throw invalidInput(extra.map(([field]) => ({ field, code: 'invalid', message })));
}

async function addReplay(
  manager: EntityManager,
  webhook: Webhook,
  since: Date,
  until: Date | null,
): Promise<void> {
  const { organizationId, id: webhookId } = webhook;
  const count = await manager.countBy(WebhookReplay, { organizationId, webhookId });
  if (count >= MAX_REPLAYS)
    throw conflict(`${MAX_REPLAYS} ranges of events are already waiting to be sent again. Try again later.`);
  await manager.insert(WebhookReplay, {
    organizationId,
    id: newId('rpl'),
    webhookId,
    since,
    until,
    last: await lastSequence(manager, organizationId),
  });
}
