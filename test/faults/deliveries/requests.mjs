// Requests and rows that prepare the attacks.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { ask } from '../load.mjs';

const require = createRequire(import.meta.url);
const { newId } = require('../../../dist/src/platform/database/id.js');

/** What a service or a host needs to send webhooks to receivers of a test. */
export const WEBHOOKS = {
  WEBHOOK_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
};

/** A webhook of an organization to which no event is sent. */
export const SILENT = { url: 'http://127.0.0.1:9/', types: ['webhook.disabled'] };

/** Sends a POST that must succeed, and returns the body of the response. */
export async function post(url, path, token, body) {
  const { status, text } = await ask(url, path, { method: 'POST', token, body });
  assert.ok(status >= 200 && status < 300, `${path}: ${status} ${text}`);
  return JSON.parse(text);
}

/** Returns the id. */
export const newWebhook = async (url, token, webhook) =>
  (await post(url, '/api/v1/webhooks', token, webhook)).id;

const ids = (prefix, count) => Array.from({ length: count }, () => newId(prefix));

/** Returns their ids. */
export async function insertUsers(query, organizationId, count) {
  const users = ids('usr', count);
  await query(
    `INSERT INTO users (organization_id, id, name, name_key, email, email_key, role, metadata)
     SELECT $1, id, 'Member', 'member', id || '@example.com', id || '@example.com', 'member', '{}'
     FROM unnest($2::text[]) AS t (id)`,
    [organizationId, users],
  );
  return users;
}

/** Events as writes leave them, without a number. */
export const insertEvents = (query, organizationId, count) =>
  query(
    `INSERT INTO events (organization_id, id, type, source, actor_name, target_id, data)
     SELECT $1, id, 'user.updated', 'api', 'Test', 'usr_x', '{"user":{},"previous":{}}' FROM unnest($2::text[]) AS t (id)`,
    [organizationId, ids('evt', count)],
  );

/** The number of events that wait for a number. */
export async function unnumberedOf(query, organizationId) {
  const [{ count }] = await query(
    'SELECT count(*)::integer AS count FROM events WHERE organization_id = $1 AND sequence IS NULL',
    [organizationId],
  );
  return count;
}

/** Deliveries that are pending; the first `due` of them now, and the others tomorrow. */
export async function insertDeliveries(query, organizationId, webhookId, count, due = 0) {
  await query(
    `INSERT INTO webhook_deliveries (organization_id, id, webhook_id, event_id, type, is_beside, attempts, next_attempt_at)
     SELECT $1, 'dlv_' || substr($2, 5, 20) || lpad(to_hex(n), 6, '0'), $2, $3, 'webhook.test', true, 1,
       now() + CASE WHEN n <= $5::integer THEN interval '0' ELSE interval '1 day' END
     FROM generate_series(1, $4::integer) AS n`,
    [organizationId, webhookId, newId('evt'), count, due],
  );
  if (due > 0)
    await query(`UPDATE webhooks SET due_at = now() WHERE organization_id = $1 AND id = $2`, [
      organizationId,
      webhookId,
    ]);
}

/** The number of pending deliveries. */
export async function pendingOf(query, webhookId) {
  const [{ count }] = await query(
    `SELECT count(*)::integer AS count FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'pending'`,
    [webhookId],
  );
  return count;
}

/** New tokens of an organization that end in so many days, and have not been warned of. */
export async function makeTokensDue({ place, url }, admin, count, days) {
  for (let n = 0; n < count; n++) {
    const body = { name: 'Due', scopes: ['users:read'], expiresIn: '90d' };
    const { id } = await post(url, '/api/v1/tokens', admin, body);
    await place.query(`UPDATE tokens SET expires_at = now() + $2 * interval '1 day' WHERE id = $1`, [
      id,
      days,
    ]);
  }
}
