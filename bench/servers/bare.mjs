// A baseline without a framework: node:http and pg.
import { createServer } from 'node:http';
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

const BASE = '/api/v1/users';
const SCOPES = { GET: 'users:read', POST: 'users:write', PATCH: 'users:write', DELETE: 'users:delete' };

function send(response, status, body, headers = {}) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const type = status < 400 ? 'application/json; charset=utf-8' : 'application/problem+json; charset=utf-8';
  response.writeHead(status, {
    ...(text && { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) }),
    ...headers,
  });
  response.end(text);
}

const fail = (response, status, code, errors) =>
  send(response, status, { status, code, requestId: response.getHeader('X-Request-ID'), errors });

async function bodyOf(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    if ((size += chunk.length) > 100 * 1024) throw Object.assign(new Error('too large'), { status: 413 });
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw Object.assign(new Error('invalid JSON'), { status: 400 });
  }
}

async function serve(request, response) {
  response.setHeader('X-Request-ID', requestId(request.headers['x-request-id']));
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const id = pathname.startsWith(`${BASE}/`) ? pathname.slice(BASE.length + 1) : undefined;
  if (pathname !== BASE && id === undefined) return fail(response, 404, 'not_found');
  const value = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const [token] = value ? await run('token', sql.token, [hashOf(value)]) : [];
  if (!token) return fail(response, 401, 'unauthorized');
  const { allowed, headers } = count(token.id);
  for (const name in headers) response.setHeader(name, headers[name]);
  if (!allowed) return fail(response, 429, 'rate_limited');
  const scope = SCOPES[request.method];
  if (!token.scopes.includes(scope) && !token.scopes.includes('admin'))
    return fail(response, 403, 'insufficient_scope');
  const { organizationId } = token;

  if (request.method === 'GET' && id === undefined) {
    const limit = Number(searchParams.get('limit') ?? 50);
    if (!(limit >= 1 && limit <= 200)) return fail(response, 400, 'validation_failed', ['limit']);
    const cursor = searchParams.get('cursor');
    const rows = cursor
      ? await run('next', sql.next, [organizationId, limit + 1, ...positionOf(cursor)])
      : await run('first', sql.first, [organizationId, limit + 1]);
    return send(response, 200, pageOf(rows, limit));
  }
  if (request.method === 'POST' && id === undefined) {
    const body = await bodyOf(request);
    const faults = faultsOf(body, ['name', 'email']);
    if (faults.length > 0) return fail(response, 400, 'validation_failed', faults);
    const { name, email, role = 'member', metadata = {} } = body;
    const [user] = await run('create', sql.create, [
      newId('usr'),
      organizationId,
      name,
      email,
      role,
      metadata,
    ]);
    return send(response, 201, user, { Location: `${BASE}/${user.id}` });
  }
  let user;
  if (request.method === 'GET') [user] = await run('get', sql.get, [organizationId, id]);
  if (request.method === 'PATCH') {
    const body = await bodyOf(request);
    const faults = faultsOf(body);
    if (faults.length > 0) return fail(response, 400, 'validation_failed', faults);
    const { name, email, role, metadata } = body;
    [user] = await run('update', sql.update, [organizationId, id, name, email, role, metadata]);
  }
  if (request.method === 'DELETE') [user] = await run('delete', sql.delete, [organizationId, id]);
  if (!user) return fail(response, 404, 'not_found');
  if (request.method === 'DELETE') return send(response, 204);
  send(response, 200, user);
}

ready(
  createServer((request, response) => {
    serve(request, response).catch((error) =>
      isTaken(error)
        ? fail(response, 409, 'conflict', ['email'])
        : fail(response, error.status ?? 500, error.status ? 'bad_request' : 'internal_error'),
    );
  }),
);
