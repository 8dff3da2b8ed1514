// Every request that is measured: the heaviest ones of each route, and what any route may be sent.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import * as api from './api.mjs';
import { elements, filled, KB, keys, list } from './bodies.mjs';
import { OAUTH, OTHERS, OUTSIDE } from './outside.mjs';
import * as scim from './scim.mjs';

const require = createRequire(import.meta.url);
const { bodyLimitOf } = require('../../../dist/src/platform/http/input/body-of-route.js');
const { routesOf } = require('../../../dist/src/platform/http/method-not-allowed.js');

const BUILT = new URL('../../../dist/src/', import.meta.url);
const controllers = readdirSync(BUILT, { recursive: true })
  .filter((file) => file.endsWith('.controller.js'))
  .flatMap((file) => Object.values(require(fileURLToPath(new URL(file, BUILT)))))
  .filter((exported) => typeof exported === 'function' && Reflect.hasMetadata('path', exported));

/** Every route of the application. A handler that serves several paths is listed with its first. */
const ROUTES = new Map();
const handlers = new Set();
for (const { method, path, handler } of routesOf(controllers)) {
  if (handlers.has(handler)) continue;
  handlers.add(handler);
  ROUTES.set(`${method} ${path}`, { maxBody: bodyLimitOf(handler) });
}

/**
 * Route → what is heavy → a function that prepares a request and returns it: `id` for the path, `query`, `body`,
 * `headers`, `token`, and the `status` of its answer, any success by default. It gets the scene of service.mjs, and how
 * often it has been called.
 */
const HEAVIEST = Object.assign({}, ...Object.values(api), ...Object.values(scim), OAUTH, OTHERS);

export const unmeasured = [...ROUTES.keys()].filter((route) => !(route in HEAVIEST));
export const unknown = Object.keys(HEAVIEST).filter((route) => !ROUTES.has(route));

const TAGS = list(200, () => '"9"').join();
const URL_BYTES = 13 * KB;

/** Whether a request of any kind is refused depends on the route. */
const ANY = [200, 201, 202, 204, 303, 304, 400, 401, 403, 404, 412, 413, 415, 429, 501, 503];

/** What any route may be sent, beside what its first heaviest request has. */
function anyOf(route, [first]) {
  const sent = (more) => async (scene, n) => ({ ...(await first(scene, n)), ...more, status: ANY });
  const common = {
    'a long query': sent({ query: filled(URL_BYTES, 'a=&') }),
    'a long cursor': sent({ query: `cursor=${'a'.repeat(URL_BYTES)}` }),
    'many tags': sent({ headers: { 'If-Match': TAGS, 'If-None-Match': TAGS } }),
  };
  if (!/^(POST|PUT|PATCH) /.test(route)) return common;
  const { maxBody } = ROUTES.get(route);
  return {
    ...common,
    'a body of unknown keys': sent({ body: `{${keys(maxBody - 2)}}` }),
    'a body of objects': sent({ body: `{"a":${elements(maxBody - 6)}}` }),
    'a list of objects': sent({ body: elements(maxBody) }),
    'more values than are allowed': sent({ body: `[${filled(maxBody - 4, '{},')}{}]` }),
  };
}

/** Route → what is sent → a function as above. */
export const CASES = new Map([
  ...Object.entries(HEAVIEST).map(([route, heaviest]) => [
    route,
    ROUTES.has(route) ? { ...anyOf(route, Object.values(heaviest)), ...heaviest } : heaviest,
  ]),
  ...Object.entries(OUTSIDE),
]);
