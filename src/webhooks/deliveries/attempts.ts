import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { resumedAtSql, suspendedSql } from '../../organizations/suspension';
import { pastSql } from '../../platform/database/claims';
import { Database } from '../../platform/database/database';
import { findLocked } from '../../platform/database/find-locked';
import { execute, query, sql } from '../../platform/database/sql';
import { Event, EVENT_COLUMNS, type EventRow } from '../../events/event/event.entity';
import { recordEvents } from '../../events/record-events';
import { systemCaller } from '../../platform/http/caller';
import { SECRET_COLUMNS } from '../webhook/webhook-secrets';
import { webhookEvent } from '../webhook/webhook.serializer';
import {
  type DisabledReason,
  type ReceiverState,
  stateOf,
  Webhook,
  WEBHOOK_COLUMNS,
  type WebhookFields,
} from '../webhook/webhook.entity';
import type { Attempt, AttemptOutcome, Success } from './attempt-outcome';
import { WebhookDelivery } from './delivery.entity';
import { discardPending } from './pending';
import { primaryKey, type WebhookClaim } from './webhook-claims';

/** A webhook is disabled when its receiver has failed for this long. */
const MAX_FAILING = sql`interval '5 days'`;

/** Reads what an attempt sends, and records its outcome. */
@Injectable()
export class Attempts {
  constructor(private readonly database: Database) {}

  /** Undefined if the delivery is no longer pending, the claim is lost, or nothing may be sent for now. */
  read({ organizationId, webhookId, number }: WebhookClaim, id: string): Promise<Attempt | undefined> {
    return this.database.read(organizationId, async (manager) => {
      const [row] = await query<
        Attempt['webhook'] & Omit<Attempt['delivery'], 'id' | 'createdAt'> & { since: Date }
      >(
        manager,
        sql`SELECT webhooks.*, deliveries.event_id AS "eventId", deliveries.type, deliveries.attempts,
              deliveries.created_at AS since
            FROM (SELECT ${WEBHOOK_COLUMNS}, ${SECRET_COLUMNS} FROM ${Webhook}
              WHERE organization_id = ${organizationId} AND id = ${webhookId} AND enabled AND claim = ${number}
                AND ${pastSql('blocked_until')} AND NOT ${suspendedSql(sql`${organizationId}`)}) AS webhooks
            JOIN ${WebhookDelivery} AS deliveries ON deliveries.organization_id = ${organizationId} AND deliveries.id = ${id}
              AND deliveries.state = 'pending'`,
      );
      if (!row) return undefined;
      const { eventId, type, attempts, since, ...webhook } = row;
      const [event] = await query<EventRow>(
        manager,
        sql`SELECT ${EVENT_COLUMNS} FROM ${Event} WHERE organization_id = ${organizationId} AND id = ${eventId}`,
      );
      return { webhook, delivery: { id, eventId, type, attempts, createdAt: since }, event };
    });
  }

  /** Records attempts that have succeeded, in one transaction. Each is recorded once, as in `recordFailed()`. */
  recordSuccesses(claim: WebhookClaim, successes: Success[]): Promise<void> {
    return this.database.write(claim.organizationId, async (manager) => {
      const webhook = await findLocked(manager, Webhook, primaryKey(claim));
      if (!webhook) return;
      let last: Success | undefined;
      for (const success of successes)
        if (await recordDelivery(manager, webhook, success.attempt, success.outcome)) last = success;
      if (last) await recordSuccess(manager, webhook, last.outcome.isSlow);
    });
  }

  /** Records a failed attempt once: a process that lost its claim and records it second changes nothing. */
  recordFailed(claim: WebhookClaim, attempt: Attempt, outcome: AttemptOutcome): Promise<ReceiverState> {
    return this.database.write(claim.organizationId, async (manager) => {
      const webhook = await findLocked(manager, Webhook, primaryKey(claim));
      if (!webhook?.enabled) return 'done';
      if (!(await recordDelivery(manager, webhook, attempt, outcome))) return stateOf(webhook);
      if (outcome.blockMs > 0) await block(manager, webhook, outcome.blockMs);
      if (outcome.error) await manager.update(Webhook, primaryKey(claim), { lastError: outcome.error });
      const reason = outcome.isGone ? 'gone' : await recordFailure(manager, webhook, attempt.delivery.id);
      if (reason) await disable(manager, webhook, reason);
      return reason || outcome.blockMs > 0 ? 'done' : 'struggling';
    });
  }
}

/** Returns whether it is recorded, and by the present receiver: the response of a former one says nothing about it. */
async function recordDelivery(
  manager: EntityManager,
  { organizationId, url }: Webhook,
  { delivery, webhook }: Attempt,
  { state, status, error, durationMs, pauseMs }: AttemptOutcome,
): Promise<boolean> {
  const next = state === 'pending' ? sql`now() + ${pauseMs} * interval '1 millisecond'` : sql`NULL`;
  const isRecorded = await execute(
    manager,
    sql`UPDATE ${WebhookDelivery}
        SET attempts = attempts + 1, last_status = ${status}, last_error = ${error}, last_duration_ms = ${durationMs},
          state = ${state}, next_attempt_at = ${next}
        WHERE organization_id = ${organizationId} AND id = ${delivery.id} AND state = 'pending' AND attempts = ${delivery.attempts}`,
  );
  return isRecorded > 0 && webhook.url === url;
}

const ownRow = ({ organizationId, id }: Webhook) => sql`organization_id = ${organizationId} AND id = ${id}`;

const block = (manager: EntityManager, webhook: Webhook, ms: number) =>
  execute(
    manager,
    sql`UPDATE ${Webhook} SET blocked_until = now() + ${ms} * interval '1 millisecond'
        WHERE ${ownRow(webhook)} AND (blocked_until < now() + ${ms} * interval '1 millisecond' OR ${pastSql('blocked_until')})`,
  );

const recordSuccess = (manager: EntityManager, { organizationId, id }: Webhook, isSlow: boolean) =>
  manager.update(
    Webhook,
    { organizationId, id },
    {
      lastSuccessAt: () => 'now()',
      lastError: null,
      isSlow,
      failingSince: null,
      failingDelivery: null,
      failingOthers: false,
    },
  );

/** Returns a reason to disable the webhook, if there is one: two deliveries have failed, the first of them long ago. */
async function recordFailure(
  manager: EntityManager,
  webhook: Webhook,
  deliveryId: string,
): Promise<DisabledReason | undefined> {
  const { failingDelivery, failingOthers } = webhook;
  const others = failingOthers || (failingDelivery !== null && failingDelivery !== deliveryId);
  await execute(
    manager,
    sql`UPDATE ${Webhook} SET failing_since = least(failing_since, now()),
          failing_delivery = ${failingDelivery ?? deliveryId}, failing_others = ${others}
        WHERE ${ownRow(webhook)}`,
  );
  if (!others) return undefined;
  const [{ isTooLong }] = await query<{ isTooLong: boolean }>(
    manager,
    // Nothing was sent while the organization was suspended.
    sql`SELECT greatest(failing_since, ${resumedAtSql(sql`${webhook.organizationId}`)}) <= now() - ${MAX_FAILING} AS "isTooLong"
        FROM ${Webhook} WHERE ${ownRow(webhook)}`,
  );
  return isTooLong ? 'failing' : undefined;
}

async function disable(manager: EntityManager, webhook: Webhook, reason: DisabledReason): Promise<void> {
  const [disabled] = await query<WebhookFields>(
    manager,
    sql`UPDATE ${Webhook} SET enabled = false, disabled_reason = ${reason}, updated_at = greatest(updated_at, now())
        WHERE ${ownRow(webhook)} RETURNING ${WEBHOOK_COLUMNS}`,
  );
  await discardPending(manager, webhook);
  const by = systemCaller(webhook.organizationId, 'service', 'system');
  await recordEvents(manager, webhookEvent(by, 'webhook.disabled', disabled));
}
