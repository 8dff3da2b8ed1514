// The baseline of `requests.mjs`: Express 5 and pg as briefly as a careful engineer would write them. A token lookup
// for each request, the rate limit in memory, one statement for each write, and nothing else stored.
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import express from 'express';
import pg from 'pg';

const { newId } = createRequire(import.meta.url)('../dist/src/platform/database/id.js');
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

/** Runs a statement that PostgreSQL parses once per connection. */
const run = (name, text, values) => pool.query({ name, text, values }).then(({ rows }) => rows);

const TOKEN = `
  SELECT id, organization_id AS "organizationId", scopes FROM tokens
  WHERE hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`;
const COLUMNS =
  'id, name, email, role, active, metadata, created_at AS "createdAt", updated_at AS "updatedAt"';
const GET = `SELECT ${COLUMNS} FROM plain.users WHERE organization_id = $1 AND id = $2`;
const FIRST = `
  SELECT ${COLUMNS} FROM plain.users WHERE organization_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`;
const NEXT = `
  SELECT ${COLUMNS} FROM plain.users WHERE organization_id = $1 AND (created_at, id) < ($3, $4)
  ORDER BY created_at DESC, id DESC LIMIT $2`;
const CREATE = `
  INSERT INTO plain.users (id, organization_id, name, email, role, active, metadata)
  VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ${COLUMNS}`;
const UPDATE = `
  UPDATE plain.users SET name = coalesce($3, name), email = coalesce($4, email), role = coalesce($5, role),
    active = coalesce($6, active), metadata = coalesce($7, metadata), updated_at = now()
  WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`;
const DELETE = 'DELETE FROM plain.users WHERE organization_id = $1 AND id = $2 RETURNING id';

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
users.post('/', allow('users:write'), accept('name', 'email'), async ({ body, organizationId }, response) => {
  const { name, email, role = 'member', active = true, metadata = {} } = body;
  const values = [newId('usr'), organizationId, name, email, role, active, metadata];
  const [user] = await run('create', CREATE, values);
  response.status(201).location(`/api/v1/users/${user.id}`).json(user);
});
users.patch('/:id', allow('users:write'), accept(), async ({ body, params, organizationId }, response) => {
  const { name, email, role, active, metadata } = body;
  const [user] = await run('update', UPDATE, [
    organizationId,
    params.id,
    name,
    email,
    role,
    active,
    metadata,
  ]);
  answer(response, user);
});
users.delete('/:id', allow('users:delete'), async ({ params, organizationId }, response) => {
  const [user] = await run('delete', DELETE, [organizationId, params.id]);
  if (user) response.status(204).end();
  else fail(response, 404, 'not_found');
});

const app = express().disable('x-powered-by').disable('etag');
app.use((request, response, next) => {
  const given = request.headers['x-request-id'] ?? '';
  response.setHeader('X-Request-ID', /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID());
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
