// The hand-written baseline: Express 5 and pg, a token lookup per request, the rate limit in memory. BENCH_WRITES selects how it
// keeps its users: `plain` or `same-work`.
import { createServer } from 'node:http';
import express from 'express';
import { count, faultsOf, isTaken, requestId, tokenOf } from './common.mjs';

const store = await import(`./${process.env.BENCH_WRITES}.mjs`);
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
  const token = value && (await tokenOf(value));
  if (!token) return fail(response, 401, 'unauthorized');
  const { allowed, headers } = count(token.id);
  response.set(headers);
  if (!allowed) return fail(response, 429, 'rate_limited');
  if (!token.scopes.includes(scope) && !token.scopes.includes('admin'))
    return fail(response, 403, 'insufficient_scope');
  request.caller = { ...token, requestId: request.id };
  next();
};
const json = express.json({ limit: '100kb' });

const users = express.Router();
users.get('/', allow('users:read'), async ({ query, caller }, response) => {
  const limit = Number(query.limit ?? 50);
  if (!(limit >= 1 && limit <= 200)) return fail(response, 400, 'validation_failed', ['limit']);
  response.json(await store.list(caller, limit, query.cursor));
});
users.get('/:id', allow('users:read'), async ({ params, caller }, response) => {
  const user = await store.get(caller, params.id);
  if (user) response.json(user);
  else fail(response, 404, 'not_found');
});
users.post('/', allow('users:write'), json, async ({ body, caller }, response) => {
  const faults = faultsOf(body, ['name', 'email']);
  if (faults.length > 0) return fail(response, 400, 'validation_failed', faults);
  const user = await store.create(caller, { role: 'member', active: true, metadata: {}, ...body });
  response.status(201).location(`/api/v1/users/${user.id}`).json(user);
});
users.patch('/:id', allow('users:write'), json, async ({ body, params, caller }, response) => {
  const faults = faultsOf(body);
  if (faults.length > 0) return fail(response, 400, 'validation_failed', faults);
  const user = await store.update(caller, params.id, body);
  if (user) response.json(user);
  else fail(response, 404, 'not_found');
});
users.delete('/:id', allow('users:delete'), async ({ params, caller }, response) => {
  const user = await store.remove(caller, params.id);
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

const server = createServer(app).listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })),
);
