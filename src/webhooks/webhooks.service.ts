import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { insertSql } from '../platform/database/columns';
import { Database } from '../platform/database/database';
import { rethrowViolation } from '../platform/database/errors';
import { isId, newId } from '../platform/database/id';
import { execute, query, sql } from '../platform/database/sql';
import { lastSequence } from '../events/log/event-head.entity';
import { EventLog } from '../events/log/event-log';
import { recordEvents } from '../events/record-events';
import { type By, callerOf } from '../platform/http/caller';
import { conflict, invalidInput, noSuchOrganization, unavailable } from '../platform/http/fault';
import { validatedInput } from '../platform/http/input/validate';
import { newestFirst, type Page, paginate } from '../platform/pages/paginate';
import { numberIn } from '../tokens/token/durations';
import type { DeliveryError } from './address/delivery-error';
import { Reach } from './address/reach';
import { WebhookReplay } from './deliveries/delivery.entity';
import { discardPending } from './deliveries/pending';
import { Webhook, WEBHOOK_COLUMNS, type WebhookFields } from './webhook/webhook.entity';
import { serializeWebhook, webhookEvent } from './webhook/webhook.serializer';
import type { WebhookView } from './webhook/webhook.view';
import { WebhookSecrets } from './webhook/webhook-secrets';
import { webhookNotFound, writeWebhook } from './webhook/write-webhook';
import { CreateWebhookDto, ListWebhooksDto, RotateSecretDto, UpdateWebhookDto } from './webhook/webhook.dto';

const MAX_WEBHOOKS = 20;

/** A webhook and its new secret, which cannot be read again. */
interface NewSecret {
  webhook: WebhookView;
  secret: string;
}

@Injectable()
export class WebhooksService {
  /** @internal Nest constructs it. */
  constructor(
    private readonly database: Database,
    private readonly secrets: WebhookSecrets,
    private readonly log: EventLog,
    private readonly reach: Reach,
  ) {}

  /** Newest first. */
  async list(by: By, input: Partial<ListWebhooksDto> = {}): Promise<Page<WebhookView>> {
    const { organizationId } = callerOf(by);
    const page = newestFirst(
      sql`SELECT ${WEBHOOK_COLUMNS} FROM ${Webhook} WHERE organization_id = ${organizationId}`,
      validatedInput(ListWebhooksDto, input),
      ['webhooks', organizationId],
    );
    const { data, nextCursor } = await this.database.read(organizationId, (manager) =>
      paginate<WebhookFields>(manager, page),
    );
    return { data: data.map(serializeWebhook), nextCursor };
  }

  async get(by: By, id: string): Promise<WebhookView> {
    const { organizationId } = callerOf(by);
    const webhook = isId('whk', id)
      ? await this.database.read(organizationId, (manager) =>
          manager.findOneBy(Webhook, { organizationId, id }),
        )
      : null;
    if (!webhook) throw webhookNotFound();
    return serializeWebhook(webhook);
  }

  /** @internal Why the last attempt of each webhook failed, by its id. Those in which it succeeded have none. */
  async lastErrors(by: By): Promise<Record<string, DeliveryError>> {
    const { organizationId } = callerOf(by);
    const failing = await this.database.read(organizationId, (manager) =>
      query<Pick<Webhook, 'id' | 'lastError'>>(
        manager,
        sql`SELECT id, last_error AS "lastError" FROM ${Webhook}
            WHERE organization_id = ${organizationId} AND last_error IS NOT NULL`,
      ),
    );
    return Object.fromEntries(failing.map(({ id, lastError }) => [id, lastError!]));
  }

  /** Sends the events from now on. A 503 without an encryption key, and a 409 if the organization has 20 webhooks. */
  async create(by: By, input: CreateWebhookDto): Promise<NewSecret> {
    const caller = callerOf(by);
    const { organizationId } = caller;
    const fields = validatedInput(CreateWebhookDto, input);
    this.requireScheme(fields.url);
    const id = newId('whk');
    const { shown, sealed } = this.secrets.new(organizationId, id);
    await this.log.catchUp(organizationId); // earlier events are not sent
    const defaults = { description: null, enabled: true, payload: 'full', ordering: 'none' } as const;
    const webhook = await this.database
      .write(organizationId, async (manager) => {
        await requireQuota(manager, organizationId);
        const sequence = await lastSequence(manager, organizationId);
        const row = { ...defaults, ...fields, organizationId, id, secret: sealed, sequence };
        const [created] = await query<WebhookFields>(
          manager,
          sql`${insertSql(Webhook, [row])} RETURNING ${WEBHOOK_COLUMNS}`,
        );
        await recordEvents(manager, webhookEvent(caller, 'webhook.created', created));
        return created;
      })
      .catch(rethrowViolation({ webhooks_organization_id_fkey: noSuchOrganization }));
    return { webhook: serializeWebhook(webhook), secret: shown };
  }

  /** Changes the given fields. Disabling a webhook fails its pending deliveries; enabling it sends later ones. */
  async update(by: By, id: string, input: UpdateWebhookDto): Promise<WebhookView> {
    const caller = callerOf(by);
    const { organizationId } = caller;
    const fields = validatedInput(UpdateWebhookDto, input);
    if (fields.url !== undefined) this.requireScheme(fields.url);
    if (fields.enabled) await this.log.catchUp(organizationId); // earlier events are not sent
    const webhook = await writeWebhook(this.database, organizationId, id, async (manager, before) => {
      const changes = changedFields(before, fields);
      if (Object.keys(changes).length === 0) return before;
      const isSwitchedOn = changes.enabled === true;
      const isLeft = changes.enabled !== undefined && (await discardPending(manager, before));
      if (isSwitchedOn && isLeft)
        throw unavailable(
          'Deliveries from before the webhook was disabled are still being discarded. Try again in a minute.',
        );
      const reset = isSwitchedOn ? { ...RESET, sequence: await lastSequence(manager, organizationId) } : {};
      // The pause was requested by the former receiver.
      const unblock = isSwitchedOn || changes.url !== undefined ? { blockedUntil: () => `'-infinity'` } : {};
      const updatedAt = () => 'greatest(updated_at, now())';
      const values = { ...changes, ...reset, ...unblock, updatedAt };
      await manager.update(Webhook, { organizationId, id }, values);
      const after = await manager.findOneByOrFail(Webhook, { organizationId, id });
      const previous = Object.fromEntries(
        Object.keys(changes).map((name) => [name, before[name as keyof Webhook]]),
      );
      await recordEvents(manager, webhookEvent(caller, 'webhook.updated', after, { previous }));
      return after;
    });
    return serializeWebhook(webhook);
  }

  /** Pending deliveries are no longer sent. All deliveries stay until the retention job removes them. */
  async delete(by: By, id: string): Promise<void> {
    const caller = callerOf(by);
    const { organizationId } = caller;
    await writeWebhook(this.database, organizationId, id, async (manager, webhook) => {
      await manager.delete(Webhook, { organizationId, id });
      await manager.delete(WebhookReplay, { organizationId, webhookId: id });
      await recordEvents(manager, webhookEvent(caller, 'webhook.deleted', webhook));
    });
  }

  /** Returns a new secret. The old one also signs until the overlap is over. */
  async rotateSecret(by: By, id: string, input: Partial<RotateSecretDto> = {}): Promise<NewSecret> {
    const caller = callerOf(by);
    const { organizationId } = caller;
    const hours = numberIn(validatedInput(RotateSecretDto, input).overlap);
    if (!isId('whk', id)) throw webhookNotFound();
    const { shown, sealed } = this.secrets.new(organizationId, id);
    const webhook = await writeWebhook(this.database, organizationId, id, async (manager) => {
      const previous = hours === 0 ? sql`NULL` : sql`secret`;
      await execute(
        manager,
        sql`UPDATE ${Webhook}
            SET secret = ${sealed}, previous_secret = ${previous}, previous_until = now() + ${hours}::integer * interval '1 hour',
              updated_at = greatest(updated_at, now())
            WHERE organization_id = ${organizationId} AND id = ${id}`,
      );
      const after = await manager.findOneByOrFail(Webhook, { organizationId, id });
      await recordEvents(manager, webhookEvent(caller, 'webhook.updated', after, { previous: {} }));
      return after;
    });
    return { webhook: serializeWebhook(webhook), secret: shown };
  }

  /** Only networks that the operator allows are reached by http. */
  private requireScheme(url: string): void {
    if (this.reach.allowsSome || /^https:/i.test(url)) return;
    throw invalidInput([{ field: 'url', code: 'invalid', message: 'must be an https URL' }]);
  }
}

/** Throws a 409 if the organization has 20 webhooks. The lock makes creations take turns, so the count is right. */
async function requireQuota(manager: EntityManager, organizationId: string): Promise<void> {
  await manager.query(`SELECT pg_advisory_xact_lock(hashtextextended($1 || current_schema(), 0))`, [
    `ums:webhooks:${organizationId}:`,
  ]);
  const count = await manager.countBy(Webhook, { organizationId });
  if (count >= MAX_WEBHOOKS) throw conflict(`The organization already has ${MAX_WEBHOOKS} webhooks.`);
}

/** The given fields whose values change. Each field of the DTO is a column of the webhook, or this does not compile. */
function changedFields(webhook: Webhook, fields: UpdateWebhookDto): Partial<UpdateWebhookDto> {
  const names = Object.keys(fields) as (keyof UpdateWebhookDto)[];
  const changed = names.filter((name) => !isDeepStrictEqual(fields[name], webhook[name]));
  return Object.fromEntries(changed.map((name) => [name, fields[name]]));
}

/** Former failures do not count once a webhook is enabled again. */
const RESET = {
  disabledReason: null,
  failingSince: null,
  failingDelivery: null,
  failingOthers: false,
  lastError: null,
  isSlow: false,
  isFull: false,
};
