// The shared part of both Express baselines: the rules of the API, as briefly as a careful engineer would write them.
import { createHash, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import pg from 'pg';

export const { newId } = createRequire(import.meta.url)('../../dist/src/database/id.js');

export const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

/** Runs a statement that PostgreSQL parses once per connection. */
export const run = (client, name, text, values) =>
  client.query({ name, text, values }).then(({ rows }) => rows);

const hashOf = (value) => createHash('sha256').update(value).digest();
const TOKEN = `
  SELECT id, name, organization_id AS "organizationId", scopes FROM tokens
  WHERE hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`;
export const tokenOf = async (value) => (await run(pool, 'token', TOKEN, [hashOf(value)]))[0];

export const requestId = (given) => (/^[A-Za-z0-9._-]{1,128}$/.test(given ?? '') ? given : randomUUID());

const LIMIT = Number(process.env.RATE_LIMIT_PER_MINUTE);
const windows = new Map();

/** Counts a request in the token's one-minute window, in memory. */
export function count(tokenId) {
  const now = Date.now();
  let window = windows.get(tokenId);
  if (!window || now >= window.resetAt) windows.set(tokenId, (window = { hits: 0, resetAt: now + 60_000 }));
  window.hits++;
  return {
    allowed: window.hits <= LIMIT,
    headers: {
      'X-RateLimit-Limit': LIMIT,
      'X-RateLimit-Remaining': Math.max(0, LIMIT - window.hits),
      'X-RateLimit-Reset': Math.ceil(window.resetAt / 1000),
    },
  };
}

const RULES = {
  name: (name) => typeof name === 'string' && name.trim().length >= 1 && name.length <= 200,
  email: (email) =>
    typeof email === 'string' && email.length <= 254 && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email),
  role: (role) => ['member', 'admin', 'viewer'].includes(role),
  active: (active) => typeof active === 'boolean',
  metadata: (data) =>
    typeof data === 'object' && data !== null && !Array.isArray(data) && Object.keys(data).length <= 16,
};

/** The invalid fields. */
export function faultsOf(body, required = []) {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return ['body'];
  const missing = required.filter((field) => body[field] === undefined);
  return [...missing, ...Object.keys(body).filter((field) => !RULES[field]?.(body[field]))];
}

export const isTaken = (error) => error.code === '23505';

/** Reads of a table of users; these are the same in both baselines. */
export function readsOf(table, columns) {
  const get = `SELECT ${columns} FROM ${table} WHERE organization_id = $1 AND id = $2`;
  const first = `SELECT ${columns} FROM ${table} WHERE organization_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`;
  const next = `
    SELECT ${columns} FROM ${table} WHERE organization_id = $1 AND (created_at, id) < ($3, $4)
    ORDER BY created_at DESC, id DESC LIMIT $2`;
  return {
    get: async ({ organizationId }, id) => (await run(pool, 'get', get, [organizationId, id]))[0],
    async list({ organizationId }, limit, cursor) {
      const rows = cursor
        ? await run(pool, 'next', next, [organizationId, limit + 1, ...positionOf(cursor)])
        : await run(pool, 'first', first, [organizationId, limit + 1]);
      const data = rows.slice(0, limit);
      const last = data.at(-1);
      const nextCursor =
        rows.length > limit
          ? Buffer.from(JSON.stringify([last.createdAt, last.id])).toString('base64url')
          : null;
      return { data, nextCursor };
    },
  };
}

function positionOf(cursor) {
  const [createdAt, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  return [new Date(createdAt), id];
}
