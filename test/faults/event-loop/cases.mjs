// Every request that is measured: the heaviest ones of each route, and what any route may be sent.
import { ADMINISTRATION, OTHERS } from './administration.mjs';
import { filled, KB, keys, list, objects } from './bodies.mjs';
import { ROUTES } from './routes.mjs';
import { SCIM } from './scim.mjs';
import { USERS } from './users.mjs';

const HEAVIEST = { ...USERS, ...ADMINISTRATION, ...SCIM, ...OTHERS };

export const missing = [...ROUTES.keys()].filter((route) => !(route in HEAVIEST));
export const superfluous = Object.keys(HEAVIEST).filter((route) => !ROUTES.has(route) && !(route in OTHERS));

/** Any of these may be refused. */
const ANY = [200, 201, 202, 204, 303, 304, 400, 401, 404, 405, 412, 413, 501, 503];

const tags = list(200, () => '"9"').join();

function anyOf(route, maxBody, first) {
  const sent = (more) => async (scene, n) => ({ ...(await first(scene, n)), ...more, status: ANY });
  const common = {
    'a long query': sent({ query: filled(14 * KB, 'a=&') }),
    'many tags': sent({ headers: { 'If-Match': tags, 'If-None-Match': tags } }),
  };
  if (!/^(POST|PUT|PATCH) /.test(route)) return common;
  return {
    ...common,
    'a body of unknown keys': sent({ body: `{${keys(maxBody - 2)}}` }),
    'a body of objects': sent({ body: `{"j":${objects(maxBody - 10)}}` }),
    'a list of objects': sent({ body: objects(maxBody) }),
  };
}

export const CASES = Object.entries(HEAVIEST).flatMap(([route, heaviest]) => {
  const any = ROUTES.has(route) ? anyOf(route, ROUTES.get(route).maxBody, Object.values(heaviest)[0]) : {};
  return Object.entries({ ...any, ...heaviest }).map(([what, make]) => {
    const [method, path] = route.split(' ');
    return { name: `${route}: ${what}`, method, path, make };
  });
});
