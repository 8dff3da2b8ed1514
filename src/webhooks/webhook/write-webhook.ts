import type { EntityManager } from 'typeorm';
import type { Database } from '../../platform/database/database';
import { findLocked } from '../../platform/database/find-locked';
import { isId } from '../../platform/database/id';
import { notFound } from '../../platform/http/fault';
import { Webhook } from './webhook.entity';

/** Runs a transaction on the webhook, which is locked. Throws a 404 if it does not exist. */
export async function writeWebhook<Result>(
  database: Database,
  organizationId: string,
  id: string,
  work: (manager: EntityManager, webhook: Webhook) => Promise<Result>,
): Promise<Result> {
  if (!isId('whk', id)) throw webhookNotFound();
  return database.write(organizationId, async (manager) => {
    const webhook = await findLocked(manager, Webhook, { organizationId, id });
    if (!webhook) throw webhookNotFound();
    return work(manager, webhook);
  });
}

export const webhookNotFound = () => notFound('There is no such webhook.');
