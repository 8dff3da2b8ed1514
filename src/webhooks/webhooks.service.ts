import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../database/database';
import { rethrowViolation } from '../database/errors';
import { isId, newId } from '../database/id';
import { execute, query, sql } from '../database/sql';
import { EventHead } from '../events/log/event-head.entity';
import { EventLog } from '../events/log/event-log';
import { recordEvents } from '../events/record-events';
import { type By, callerOf } from '../http/caller';
import { invalidInput, noSuchOrganization } from '../http/fault';
import { validatedInput } from '../http/input/validate';
import { BY_CREATION, type Page, paginate } from '../pages/paginate';
import { numberIn } from '../tokens/durations';
import { Reach } from './address/reach';
import { WebhookDelivery } from './deliveries/delivery.entity';
import { PendingDeliveries } from './deliveries/pending-deliveries';
import { WebhookReplay } from './deliveries/replay.entity';
import { requireQuota } from './require-quota';
import { webhookEvent, webhookUpdated } from './webhook/webhook.events';
import { Webhook, WEBHOOK_COLUMNS, type WebhookFields } from './webhook/webhook.entity';
import { serializeWebhook, type WebhookRecord } from './webhook/webhook.serializer';
import { WebhookSecrets } from './webhook/webhook-secrets';
import { webhookNotFound, writeWebhook } from './webhook/write-webhook';
import { CreateWebhookDto, ListWebhooksDto, RotateSecretDto, UpdateWebhookDto } from './webhook/webhook.dto';

/** A webhook and its new secret, which cannot be read again. */
interface NewSecret {
  webhook: WebhookRecord;
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
    private readonly pending: PendingDeliveries,
  ) {}

  /** Newest first. */
  async list(by: By, input: Partial<ListWebhooksDto> = {}): Promise<Page<WebhookRecord>> {
    const { organizationId } = callerOf(by);
    const { limit, cursor } = validatedInput(ListWebhooksDto, input);
    const page = {
      select: sql`SELECT ${WEBHOOK_COLUMNS} FROM ${Webhook} WHERE organization_id = ${organizationId}`,
      columns: BY_CREATION,
      order: 'desc' as const,
      limit,
      cursor,
      list: ['webhooks', organizationId],
    };
    const { data, nextCursor } = await this.database.read(organizationId, (manager) =>
      paginate<WebhookFields>(manager, page),
    );
    return { data: data.map(serializeWebhook), nextCursor };
  }

  async get(by: By, id: string): Promise<WebhookRecord> {
    const { organizationId } = callerOf(by);
    const webhook = isId('whk', id)
      ? await this.database.read(organizationId, (manager) =>
          manager.findOneBy(Webhook, { organizationId, id }),
        )
      : null;
    if (!webhook) throw webhookNotFound();
    return serializeWebhook(webhook);
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
    const { url, types, description = null, enabled = true, payload = 'full', ordering = 'none' } = fields;
    const webhook = await this.database
      .write(organizationId, async (manager) => {
        await requireQuota(manager, organizationId);
        const sequence = await lastSequence(manager, organizationId);
        const [created] = await query<WebhookFields>(
          manager,
          sql`INSERT INTO ${Webhook} (organization_id, id, url, types, description, enabled, payload, ordering, secret, sequence)
              VALUES (${organizationId}, ${id}, ${url}, ${types}, ${description}, ${enabled}, ${payload}, ${ordering}, ${sealed}, ${sequence})
              RETURNING ${WEBHOOK_COLUMNS}`,
        );
        await recordEvents(manager, webhookEvent(caller, 'webhook.created', created));
        return created;
      })
      .catch(rethrowViolation({ webhooks_organization_id_fkey: noSuchOrganization }));
    return { webhook: serializeWebhook(webhook), secret: shown };
  }

  /** Changes the given fields. Disabling a webhook fails its pending deliveries; enabling it sends later ones. */
  async update(by: By, id: string, input: UpdateWebhookDto): Promise<WebhookRecord> {
    const caller = callerOf(by);
    const { organizationId } = caller;
    const fields = validatedInput(UpdateWebhookDto, input);
    if (fields.url !== undefined) this.requireScheme(fields.url);
    if (fields.enabled) {
      await this.log.catchUp(organizationId);
      await this.pending.fail(organizationId, id); // what is left of the last time, if it is disabled
    }
    const webhook = await writeWebhook(this.database, organizationId, id, async (manager, before) => {
      const changes = changedFields(before, fields);
      if (Object.keys(changes).length === 0) return before;
      const isSwitchedOn = changes.enabled === true;
      if (isSwitchedOn) await requireNothingPending(manager, before);
      const reset = isSwitchedOn ? await resetFields(manager, organizationId) : {};
      // The pause was requested by the former receiver.
      const unblock = isSwitchedOn || changes.url !== undefined ? { blockedUntil: () => `'-infinity'` } : {};
      const updatedAt = () => 'greatest(updated_at, now())';
      const values = { ...changes, ...reset, ...unblock, updatedAt };
      await manager.update(Webhook, { organizationId, id }, values);
      if (changes.enabled === false) await manager.delete(WebhookReplay, { organizationId, webhookId: id });
      const after = await manager.findOneByOrFail(Webhook, { organizationId, id });
      const previous = Object.fromEntries(
        Object.keys(changes).map((name) => [name, before[name as keyof Webhook]]),
      );
      await recordEvents(manager, webhookUpdated(caller, after, previous));
      return after;
    });
    if (fields.enabled === false) await this.pending.fail(organizationId, id);
    return serializeWebhook(webhook);
  }

  /** What waits is not sent. The deliveries stay until the retention job removes them. */
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
      await recordEvents(manager, webhookUpdated(caller, after, {}));
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

/** What waited when the webhook was disabled must not be sent when it is enabled again. */
async function requireNothingPending(manager: EntityManager, { organizationId, id }: Webhook): Promise<void> {
  if (await manager.existsBy(WebhookDelivery, { organizationId, webhookId: id, state: 'pending' }))
    throw new ServiceUnavailableException('What waited for the webhook is still being failed. Try again.');
}

/** The fields whose values change. */
function changedFields(webhook: Webhook, fields: UpdateWebhookDto): Partial<UpdateWebhookDto> {
  const names = ['url', 'types', 'description', 'enabled', 'payload', 'ordering'] as const;
  const changed = names.filter(
    (name) => fields[name] !== undefined && JSON.stringify(fields[name]) !== JSON.stringify(webhook[name]),
  );
  return Object.fromEntries(changed.map((name) => [name, fields[name]]));
}

/** A webhook that is enabled again starts after the last event, and its former failures do not count. */
const resetFields = async (manager: EntityManager, organizationId: string) => ({
  disabledReason: null,
  failingSince: null,
  failingDelivery: null,
  failingOthers: false,
  isSlow: false,
  isFull: false,
  sequence: await lastSequence(manager, organizationId),
});

/** The number of the organization's last event. */
async function lastSequence(manager: EntityManager, organizationId: string): Promise<string> {
  const head = await manager.findOneBy(EventHead, { organizationId });
  return head?.sequence ?? '0';
}
