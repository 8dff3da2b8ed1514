// Code shared by the hand-written baselines: the rules, as briefly as a careful engineer would write them.
import { createHash, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import pg from 'pg';

const require = createRequire(import.meta.url);
export const { newId } = require('../../dist/src/database/id.js');

export const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
export const LIMIT = Number(process.env.RATE_LIMIT_PER_MINUTE);

/** Runs a prepared statement, which PostgreSQL parses once per connection. */
export const run = (name, text, values) => pool.query({ name, text, values }).then(({ rows }) => rows);

const USERS = process.env.USERS_TABLE ?? 'plain.users';
const COLUMNS = 'id, name, email, role, metadata, created_at AS "createdAt", updated_at AS "updatedAt"';
export const sql = {
  token: `SELECT id, organization_id AS "organizationId", scopes FROM tokens
          WHERE hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
  get: `SELECT ${COLUMNS} FROM ${USERS} WHERE organization_id = $1 AND id = $2`,
  first: `SELECT ${COLUMNS} FROM ${USERS} WHERE organization_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`,
  next: `SELECT ${COLUMNS} FROM ${USERS} WHERE organization_id = $1 AND (created_at, id) < ($3, $4)
         ORDER BY created_at DESC, id DESC LIMIT $2`,
  create: `INSERT INTO ${USERS} (id, organization_id, name, email, role, metadata) VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${COLUMNS}`,
  update: `UPDATE ${USERS} SET name = coalesce($3, name), email = coalesce($4, email), role = coalesce($5, role),
             metadata = coalesce($6, metadata), updated_at = now()
           WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
  delete: `DELETE FROM ${USERS} WHERE organization_id = $1 AND id = $2 RETURNING id`,
};

export const hashOf = (value) => createHash('sha256').update(value).digest();

export const requestId = (given) => (/^[A-Za-z0-9._-]{1,128}$/.test(given ?? '') ? given : randomUUID());

const windows = new Map();
/** Counts a request in the token's one-minute window. */
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
  metadata: (data) =>
    typeof data === 'object' && data !== null && !Array.isArray(data) && Object.keys(data).length <= 16,
};

/** The invalid fields. */
export function faultsOf(body, required = []) {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return ['body'];
  const missing = required.filter((field) => body[field] === undefined);
  return [...missing, ...Object.keys(body).filter((field) => !RULES[field]?.(body[field]))];
}

export function positionOf(cursor) {
  const [createdAt, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  return [new Date(createdAt), id];
}

export function pageOf(rows, limit) {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const nextCursor =
    rows.length > limit ? Buffer.from(JSON.stringify([last.createdAt, last.id])).toString('base64url') : null;
  return { data, nextCursor };
}

export const isTaken = (error) => error.code === '23505';

/** Listens, and prints the address for the process that started the server. */
export const ready = (server) =>
  server.listen(0, '127.0.0.1', () =>
    console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })),
  );
