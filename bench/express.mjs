// The baseline of `requests.mjs`: Express 5 and pg as briefly as a careful engineer would write them. A token lookup
// per request, the rate limit in memory, and the rows of the service in its own tables: a write is a transaction of
// plain statements that stores the user, its search text and the event. No versions in conditions, idempotency keys,
// pages of another order, filters or search.
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import express from 'express';
import pg from 'pg';

const require = createRequire(import.meta.url);
const { newId } = require('../dist/src/platform/database/id.js');
const { searchTextOf } = require('../dist/src/users/search/user-search.rows.js');
const { withKeys } = require('../dist/src/users/user/user.keys.js');

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

/** Runs a statement that PostgreSQL parses once per connection. */
const run = (name, text, values, client = pool) =>
  client.query({ name, text, values }).then(({ rows }) => rows);

async function transaction(work) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work((...statement) => run(...statement, client));
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

const TOKEN = `
  SELECT id, name, organization_id AS "organizationId", scopes FROM tokens
  WHERE hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`;
const COLUMNS =
  'id, name, email, role, active, metadata, version, created_at AS "createdAt", updated_at AS "updatedAt"';
const GET = `SELECT ${COLUMNS} FROM users WHERE organization_id = $1 AND id = $2`;
const LOCK = `${GET} FOR NO KEY UPDATE`;
const FIRST = `
  SELECT ${COLUMNS} FROM users WHERE organization_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`;
const NEXT = `
  SELECT ${COLUMNS} FROM users WHERE organization_id = $1 AND (created_at, id) < ($3, $4)
  ORDER BY created_at DESC, id DESC LIMIT $2`;
const CREATE = `
  INSERT INTO users (organization_id, id, name, name_key, email, email_key, role, active, metadata)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING ${COLUMNS}`;
const UPDATE = `
  UPDATE users SET name = $3, name_key = $4, email = $5, email_key = $6, role = $7, active = $8, metadata = $9,
    version = version + 1, updated_at = now()
  WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`;
const DELETE = `DELETE FROM users WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`;
const KEEP = `
  INSERT INTO deleted_users (organization_id, id, version, email_key, fields) VALUES ($1, $2, $3, $4, $5)`;
const TEXT = `
  INSERT INTO user_search (organization_id, user_id, name_key, name, text) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (organization_id, user_id)
  DO UPDATE SET name_key = excluded.name_key, name = excluded.name, text = excluded.text`;
const EVENT = `
  INSERT INTO events (organization_id, id, type, source, actor_id, actor_name, target_id, request_id, data)
  VALUES ($1, $2, $3, 'api', $4, $5, $6, $7, $8)`;

const valuesOf = (organizationId, id, { name, email, role, active, metadata }) => {
  const { nameKey, emailKey } = withKeys({ name, email });
  return [organizationId, id, name, nameKey, email, emailKey, role, active, JSON.stringify(metadata)];
};
const addText = (send, organizationId, { id, ...user }) =>
  send('text', TEXT, [organizationId, id, withKeys(user).nameKey, user.name, searchTextOf(user)]);
const addEvent = (send, { token, id: requestId }, type, user, more) =>
  send('event', EVENT, [
    ...[token.organizationId, newId('evt'), type, token.id, token.name, user.id, requestId],
    JSON.stringify({ user: { ...user, externalId: null }, ...more }),
  ]);

const LIMIT = Number(process.env.RATE_LIMIT_PER_MINUTE);
const windows = new Map();

/** Counts a request in the token's one-minute window. */
function count(tokenId) {
  const now = Date.now();
  let window = windows.get(tokenId);
  if (!window || now >= window.resetAt) windows.set(tokenId, (window = { hits: 0, resetAt: now + 60_000 }));
  window.hits++;
  return {
    'X-RateLimit-Limit': LIMIT,
    'X-RateLimit-Remaining': Math.max(0, LIMIT - window.hits),
    'X-RateLimit-Reset': Math.ceil(window.resetAt / 1000),
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

const fail = (response, status, code, errors) =>
  response
    .status(status)
    .type('application/problem+json')
    .send(JSON.stringify({ status, code, requestId: response.getHeader('X-Request-ID'), errors }));

const allow = (scope) => async (request, response, next) => {
  const value = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const hash = value && createHash('sha256').update(value).digest();
  const [token] = hash ? await run('token', TOKEN, [hash]) : [];
  if (!token) return fail(response, 401, 'unauthorized');
  response.set(count(token.id));
  if (windows.get(token.id).hits > LIMIT) return fail(response, 429, 'rate_limited');
  if (!token.scopes.includes(scope) && !token.scopes.includes('admin'))
    return fail(response, 403, 'insufficient_scope');
  request.token = token;
  request.organizationId = token.organizationId;
  next();
};

/** Parses a body, and refuses one with invalid or missing fields. */
const accept = (...required) => [
  express.json({ limit: '100kb' }),
  ({ body }, response, next) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      return fail(response, 400, 'bad_request');
    const missing = required.filter((field) => body[field] === undefined);
    const faults = [...missing, ...Object.keys(body).filter((field) => !RULES[field]?.(body[field]))];
    if (faults.length > 0) return fail(response, 400, 'validation_failed', faults);
    next();
  },
];

const answer = (response, user) => (user ? response.json(user) : fail(response, 404, 'not_found'));

const users = express.Router();
users.get('/', allow('users:read'), async ({ query, organizationId }, response) => {
  const limit = Number(query.limit ?? 50);
  if (!(limit >= 1 && limit <= 200)) return fail(response, 400, 'validation_failed', ['limit']);
  const position = query.cursor && JSON.parse(Buffer.from(query.cursor, 'base64url').toString());
  const rows = position
    ? await run('next', NEXT, [organizationId, limit + 1, ...position])
    : await run('first', FIRST, [organizationId, limit + 1]);
  const data = rows.slice(0, limit);
  const { createdAt, id } = data.at(-1) ?? {};
  const nextCursor =
    rows.length > limit ? Buffer.from(JSON.stringify([createdAt, id])).toString('base64url') : null;
  response.json({ data, nextCursor });
});
users.get('/:id', allow('users:read'), async ({ params, organizationId }, response) => {
  const [user] = await run('get', GET, [organizationId, params.id]);
  answer(response, user);
});
users.post('/', allow('users:write'), accept('name', 'email'), async (request, response) => {
  const { body, organizationId } = request;
  const fields = { role: 'member', active: true, metadata: {}, ...body };
  const user = await transaction(async (send) => {
    const [created] = await send('create', CREATE, valuesOf(organizationId, newId('usr'), fields));
    await addText(send, organizationId, created);
    await addEvent(send, request, 'user.created', created);
    return created;
  });
  response.status(201).location(`/api/v1/users/${user.id}`).json(user);
});
users.patch('/:id', allow('users:write'), accept(), async (request, response) => {
  const { body, params, organizationId } = request;
  const user = await transaction(async (send) => {
    const [before] = await send('lock', LOCK, [organizationId, params.id]);
    if (!before) return undefined;
    const names = Object.keys(body).filter((name) => !isDeepStrictEqual(body[name], before[name]));
    if (names.length === 0) return before;
    const [after] = await send('update', UPDATE, valuesOf(organizationId, params.id, { ...before, ...body }));
    if (searchTextOf(after) !== searchTextOf(before)) await addText(send, organizationId, after);
    const previous = Object.fromEntries(names.map((name) => [name, before[name]]));
    await addEvent(send, request, 'user.updated', after, { previous });
    return after;
  });
  answer(response, user);
});
users.delete('/:id', allow('users:delete'), async (request, response) => {
  const { params, organizationId } = request;
  const user = await transaction(async (send) => {
    const [deleted] = await send('delete', DELETE, [organizationId, params.id]);
    if (!deleted) return undefined;
    await send('keep', KEEP, [
      organizationId,
      params.id,
      deleted.version,
      withKeys(deleted).emailKey,
      deleted,
    ]);
    await addEvent(send, request, 'user.deleted', deleted);
    return deleted;
  });
  if (user) response.status(204).end();
  else fail(response, 404, 'not_found');
});

const app = express().disable('x-powered-by').disable('etag');
app.use((request, response, next) => {
  const given = request.headers['x-request-id'] ?? '';
  request.id = /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
  response.setHeader('X-Request-ID', request.id);
  next();
});
app.use('/api/v1/users', users);
app.use((_request, response) => fail(response, 404, 'not_found'));
app.use((error, _request, response, next) => {
  if (response.headersSent) return next(error);
  if (error.code === '23505') return fail(response, 409, 'conflict', ['email']);
  fail(response, error.status ?? 500, error.status ? 'bad_request' : 'internal_error');
});

const server = createServer(app).listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })),
);
