// The hand-written baseline: Express 5 and pg, a token lookup per request, the rate limit in memory.
import { createServer } from 'node:http';
import express from 'express';
import {
  count,
  faultsOf,
  hashOf,
  isTaken,
  newId,
  pageOf,
  positionOf,
  ready,
  requestId,
  run,
  sql,
} from './common.mjs';

const app = express().disable('x-powered-by').disable('etag');

app.use((request, response, next) => {
  response.setHeader('X-Request-ID', (request.id = requestId(request.headers['x-request-id'])));
  next();
});

const fail = (response, status, code, errors) =>
  response
    .status(status)
    .type('application/problem+json')
    .send(JSON.stringify({ status, code, requestId: response.getHeader('X-Request-ID'), errors }));

const allow = (scope) => async (request, response, next) => {
  const value = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const [token] = value ? await run('token', sql.token, [hashOf(value)]) : [];
  if (!token) return fail(response, 401, 'unauthorized');
  const { allowed, headers } = count(token.id);
  response.set(headers);
  if (!allowed) return fail(response, 429, 'rate_limited');
  if (!token.scopes.includes(scope) && !token.scopes.includes('admin'))
    return fail(response, 403, 'insufficient_scope');
  request.organizationId = token.organizationId;
  next();
};
const json = express.json({ limit: '100kb' });

const users = express.Router();
users.get('/', allow('users:read'), async ({ query, organizationId }, response) => {
  const limit = Number(query.limit ?? 50);
  if (!(limit >= 1 && limit <= 200)) return fail(response, 400, 'validation_failed', ['limit']);
  const rows = query.cursor
    ? await run('next', sql.next, [organizationId, limit + 1, ...positionOf(query.cursor)])
    : await run('first', sql.first, [organizationId, limit + 1]);
  response.json(pageOf(rows, limit));
});
users.get('/:id', allow('users:read'), async ({ params, organizationId }, response) => {
  const [user] = await run('get', sql.get, [organizationId, params.id]);
  if (user) response.json(user);
  else fail(response, 404, 'not_found');
});
users.post('/', allow('users:write'), json, async ({ body, organizationId }, response) => {
  const faults = faultsOf(body, ['name', 'email']);
  if (faults.length > 0) return fail(response, 400, 'validation_failed', faults);
  const { name, email, role = 'member', metadata = {} } = body;
  const [user] = await run('create', sql.create, [newId('usr'), organizationId, name, email, role, metadata]);
  response.status(201).location(`/api/v1/users/${user.id}`).json(user);
});
users.patch('/:id', allow('users:write'), json, async ({ body, params, organizationId }, response) => {
  const faults = faultsOf(body);
  if (faults.length > 0) return fail(response, 400, 'validation_failed', faults);
  const { name, email, role, metadata } = body;
  const [user] = await run('update', sql.update, [organizationId, params.id, name, email, role, metadata]);
  if (user) response.json(user);
  else fail(response, 404, 'not_found');
});
users.delete('/:id', allow('users:delete'), async ({ params, organizationId }, response) => {
  const [user] = await run('delete', sql.delete, [organizationId, params.id]);
  if (user) response.status(204).end();
  else fail(response, 404, 'not_found');
});

app.use('/api/v1/users', users);
app.use((_request, response) => fail(response, 404, 'not_found'));
app.use((error, _request, response, next) => {
  if (response.headersSent) return next(error);
  if (isTaken(error)) return fail(response, 409, 'conflict', ['email']);
  fail(response, error.status ?? 500, error.status ? 'bad_request' : 'internal_error');
});

ready(createServer(app));
