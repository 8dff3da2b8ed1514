import type { EntityManager } from 'typeorm';
import { conflict } from '../http/fault';
import { Webhook } from './webhook/webhook.entity';

const MAX_WEBHOOKS = 20;

/** Throws a 409 if the organization has 20 webhooks. The lock makes creations take turns, so the count is right. */
export async function requireQuota(manager: EntityManager, organizationId: string): Promise<void> {
  await manager.query(`SELECT pg_advisory_xact_lock(hashtextextended($1 || current_schema(), 0))`, [
    `ums:webhooks:${organizationId}:`,
  ]);
  const count = await manager.countBy(Webhook, { organizationId });
  if (count >= MAX_WEBHOOKS) throw conflict(`The organization already has ${MAX_WEBHOOKS} webhooks.`);
}
