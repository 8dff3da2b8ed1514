import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { resumedAtSql, suspendedSql } from '../../organizations/suspension';
import { pastSql } from '../../database/claims';
import { Database } from '../../database/database';
import { findLocked } from '../../database/find-locked';
import { execute, query, sql } from '../../database/sql';
import { Event, EVENT_COLUMNS, type EventRow } from '../../events/event/event.entity';
import { recordEvents } from '../../events/record-events';
import { systemCaller } from '../../http/caller';
import { SECRET_COLUMNS } from '../webhook/webhook-secrets';
import { webhookEvent } from '../webhook/webhook.events';
import {
  type DisabledReason,
  isStruggling,
  Webhook,
  WEBHOOK_COLUMNS,
  type WebhookFields,
} from '../webhook/webhook.entity';
import type { Attempt, Success } from './attempt-outcome';
import type { AttemptOutcome } from './attempt-outcome';
import { WebhookDelivery } from './delivery.entity';
import { PendingDeliveries } from './pending-deliveries';
import { WebhookReplay } from './replay.entity';
import type { WebhookClaim } from './webhook-claims';

/** A webhook is disabled when its receiver has failed for this long. */
const MAX_FAILING = sql`interval '5 days'`;

/** The state of the webhook after a failed attempt. */
export interface Recorded {
  isEnabled: boolean;
  isStruggling: boolean;
}

/** Reads what an attempt sends, and records its outcome. */
@Injectable()
export class Attempts {
  constructor(
    private readonly database: Database,
    private readonly pending: PendingDeliveries,
  ) {}

  /** Undefined if the delivery is no longer pending, the claim is lost, or nothing may be sent for now. */
  read(claim: WebhookClaim, id: string): Promise<Attempt | undefined> {
    const { organizationId } = claim;
    return this.database.read(organizationId, async (manager) => {
      const attempt = await readPending(manager, claim, id);
      if (!attempt) return undefined;
      const [event] = await query<EventRow>(
        manager,
        sql`SELECT ${EVENT_COLUMNS} FROM ${Event} WHERE organization_id = ${organizationId} AND id = ${attempt.delivery.eventId}`,
      );
      return { ...attempt, event };
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
  async recordFailed(claim: WebhookClaim, attempt: Attempt, outcome: AttemptOutcome): Promise<Recorded> {
    const { isDisabled, ...recorded } = await this.database.write(claim.organizationId, (manager) =>
      recordFailedOnce(manager, claim, attempt, outcome),
    );
    if (isDisabled) await this.pending.fail(claim.organizationId, claim.webhookId);
    return recorded;
  }
}

const primaryKey = ({ organizationId, webhookId }: WebhookClaim) => ({ organizationId, id: webhookId });

async function recordFailedOnce(
  manager: EntityManager,
  claim: WebhookClaim,
  attempt: Attempt,
  outcome: AttemptOutcome,
): Promise<Recorded & { isDisabled?: boolean }> {
  const webhook = await findLocked(manager, Webhook, primaryKey(claim));
  if (!webhook) return { isEnabled: false, isStruggling: false };
  if (!(await recordDelivery(manager, webhook, attempt, outcome)))
    return { isEnabled: webhook.enabled, isStruggling: isStruggling(webhook) };
  if (outcome.blockMs > 0) await block(manager, webhook, outcome.blockMs);
  const reason = outcome.isGone ? 'gone' : await recordFailure(manager, webhook, attempt.delivery.id);
  const isDisabled = reason !== undefined && (await disable(manager, webhook, reason));
  return { isEnabled: reason === undefined, isStruggling: true, isDisabled };
}

/** Returns whether it is recorded, and by the present receiver: the response of a former one says nothing about it. */
async function recordDelivery(
  manager: EntityManager,
  { organizationId, url }: Webhook,
  { delivery, webhook }: Attempt,
  { state, status, pauseMs }: AttemptOutcome,
): Promise<boolean> {
  const next = state === 'pending' ? sql`now() + ${pauseMs} * interval '1 millisecond'` : sql`NULL`;
  const isRecorded = await execute(
    manager,
    sql`UPDATE ${WebhookDelivery}
        SET attempts = attempts + 1, last_status = ${status}, state = ${state}, next_attempt_at = ${next}
        WHERE organization_id = ${organizationId} AND id = ${delivery.id} AND state = 'pending' AND attempts = ${delivery.attempts}`,
  );
  return isRecorded > 0 && webhook.url === url;
}

async function readPending(
  manager: EntityManager,
  { organizationId, webhookId, number }: WebhookClaim,
  id: string,
): Promise<Omit<Attempt, 'event'> | undefined> {
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
  return { webhook, delivery: { id, eventId, type, attempts, createdAt: since } };
}

const ownRow = ({ organizationId, id }: Webhook) => sql`organization_id = ${organizationId} AND id = ${id}`;

const block = (manager: EntityManager, webhook: Webhook, ms: number) =>
  execute(
    manager,
    sql`UPDATE ${Webhook} SET blocked_until = now() + ${ms} * interval '1 millisecond'
        WHERE ${ownRow(webhook)} AND (blocked_until < now() + ${ms} * interval '1 millisecond' OR ${pastSql('blocked_until')})`,
  );

const recordSuccess = (manager: EntityManager, webhook: Webhook, isSlow: boolean) =>
  execute(
    manager,
    sql`UPDATE ${Webhook}
        SET last_success_at = now(), is_slow = ${isSlow}, failing_since = NULL, failing_delivery = NULL, failing_others = false
        WHERE ${ownRow(webhook)}`,
  );

/** Returns a reason to disable the webhook, if there is one: two deliveries have failed, the first of them long ago. */
async function recordFailure(
  manager: EntityManager,
  webhook: Webhook,
  deliveryId: string,
): Promise<DisabledReason | undefined> {
  const isFirst = webhook.failingSince === null;
  const isOther = !isFirst && webhook.failingDelivery !== deliveryId;
  if (isFirst)
    await execute(
      manager,
      sql`UPDATE ${Webhook} SET failing_since = now(), failing_delivery = ${deliveryId}, failing_others = false
          WHERE ${ownRow(webhook)}`,
    );
  else if (isOther && !webhook.failingOthers)
    await execute(manager, sql`UPDATE ${Webhook} SET failing_others = true WHERE ${ownRow(webhook)}`);
  if (isFirst || !(isOther || webhook.failingOthers)) return undefined;
  const [{ isTooLong }] = await query<{ isTooLong: boolean }>(
    manager,
    // Nothing was sent while the organization was suspended.
    sql`SELECT greatest(failing_since, ${resumedAtSql(sql`${webhook.organizationId}`)}) <= now() - ${MAX_FAILING} AS "isTooLong"
        FROM ${Webhook} WHERE ${ownRow(webhook)}`,
  );
  return isTooLong ? 'failing' : undefined;
}

/** Returns whether nobody has disabled it meanwhile. What waits for it fails after the commit. */
async function disable(manager: EntityManager, webhook: Webhook, reason: DisabledReason): Promise<boolean> {
  const [disabled] = await query<WebhookFields>(
    manager,
    sql`UPDATE ${Webhook} SET enabled = false, disabled_reason = ${reason}, updated_at = greatest(updated_at, now())
        WHERE ${ownRow(webhook)} AND enabled RETURNING ${WEBHOOK_COLUMNS}`,
  );
  if (!disabled) return false;
  const { organizationId, id: webhookId } = webhook;
  await manager.delete(WebhookReplay, { organizationId, webhookId });
  const by = systemCaller(organizationId, 'service', 'system');
  await recordEvents(manager, webhookEvent(by, 'webhook.disabled', disabled));
  return true;
}
