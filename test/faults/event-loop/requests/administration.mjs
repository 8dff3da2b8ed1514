// The heaviest requests of tokens and events.
import { elements, KB, list, longName } from '../bodies.mjs';

const PAGE = 'limit=200';
const scopes = ['users:read', 'users:write', 'users:delete', 'admin'];
const token = () => ({ name: longName(100), scopes });
const newToken = (scene) => scene.send('POST', '/v1/tokens', token());
const newId = async (scene) => ({ id: (await newToken(scene)).id });

export const ADMINISTRATION = {
  'GET /v1/tokens': { 'long names': () => ({ query: PAGE }) },
  'POST /v1/tokens': {
    'a long name': () => ({ body: token() }),
    'many scopes': () => ({ body: `{"name":"a","scopes":${elements(63 * KB, '"admin"')}}`, status: 400 }),
    'wrong scopes': () => ({ body: `{"name":"a","scopes":${elements(63 * KB)}}`, status: 400 }),
  },
  'GET /v1/tokens/current': { 'a long name': async (scene) => ({ token: (await newToken(scene)).token }) },
  'DELETE /v1/tokens/current': { 'a long name': async (scene) => ({ token: (await newToken(scene)).token }) },
  'GET /v1/tokens/:id': { 'a long name': newId },
  'DELETE /v1/tokens/:id': { 'a long name': newId },
  'POST /v1/tokens/:id/rotate': { 'a long name': newId },
  'GET /api/v1/events': {
    'of users with full metadata': () => ({ query: `${PAGE}&type=user.updated` }),
    'of users with full metadata, from the newest': () => ({
      query: `${PAGE}&type=user.updated&order=desc`,
    }),
    'many types': () => ({
      query: `${PAGE}&type=${list(1_000, () => 'user.updated')}`,
      status: [200, 400],
    }),
  },
  'GET /api/v1/events/:id': { 'of a user with full metadata': ({ heavy }) => ({ id: heavy.events[0] }) },
};
