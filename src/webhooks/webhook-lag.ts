import { pastSql } from '../platform/database/claims';
import type { Database } from '../platform/database/database';
import { sql } from '../platform/database/sql';
import { STRUGGLING_SQL, SUSPENDED_SQL, Webhook } from './webhook/webhook.entity';
import { WebhookDelivery } from './deliveries/delivery.entity';

/**
 * How many seconds overdue the oldest delivery is that may be sent now; 0 if there is none. Receivers that fail or are
 * slow are the concern of their organizations.
 */
export async function webhookLag(database: Database): Promise<number> {
  const [{ lag }] = await database.sweep<{ lag: number }>(
    sql`SELECT coalesce(max(extract(epoch FROM clock_timestamp() - next_attempt_at)), 0)::float8 AS lag
        FROM ${Webhook} AS webhooks CROSS JOIN LATERAL (
          SELECT next_attempt_at FROM ${WebhookDelivery} AS deliveries
          WHERE deliveries.organization_id = webhooks.organization_id AND webhook_id = webhooks.id AND state = 'pending'
          ORDER BY next_attempt_at LIMIT 1
        ) AS oldest
        WHERE enabled AND NOT ${SUSPENDED_SQL} AND NOT ${STRUGGLING_SQL} AND ${pastSql('blocked_until')} AND next_attempt_at <= now()`,
  );
  return lag;
}
