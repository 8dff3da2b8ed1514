// The heaviest requests without a token, and of what no controller serves.
import { elements, KB, list } from '../bodies.mjs';

const asItIs = { 'as it is': () => ({}) };
const TAGS = list(3_000, () => '"9"').join();
const cookies = (bytes) => list(bytes / 8, (n) => `${`${n}`.padStart(4, 'c')}=b`).join('; ');

export const OTHERS = {
  'GET /livez': asItIs,
  'GET /readyz': asItIs,
  'GET /openapi.json': { ...asItIs, 'very many tags': () => ({ headers: { 'If-None-Match': TAGS } }) },
  'GET /docs': { ...asItIs, 'very many tags': () => ({ headers: { 'If-None-Match': TAGS } }) },
  'GET /docs/:file': { 'the largest': ({ largestIn }) => ({ path: largestIn('docs') }) },
  'GET /dashboard/session': { ...asItIs, 'many cookies': () => ({ headers: { Cookie: cookies(13 * KB) } }) },
  'POST /dashboard/session': {
    'a long name': ({ publicUrl }) => ({
      headers: { Origin: publicUrl },
      body: { organizationId: 'x'.repeat(63 * KB) },
      status: [400, 401],
    }),
    'many cookies': ({ publicUrl }) => ({
      headers: { Origin: publicUrl, Cookie: cookies(13 * KB) },
      body: {},
      status: [400, 401],
    }),
  },
  'GET /dashboard/sign-in': {
    'a long way back': () => ({ query: `to=${'/dashboard'.repeat(1_300)}`, status: [303, 502, 503] }),
  },
  'GET /dashboard/callback': {
    'a long code': () => ({ query: `state=a&code=${'x'.repeat(13 * KB)}`, status: [303, 400, 401, 403] }),
    'a long cookie': () => ({
      query: 'state=a&code=a',
      headers: { Cookie: `ums-sign-in=${'x'.repeat(13 * KB)}` },
      status: [303, 400, 401, 403],
    }),
  },
};

export const OUTSIDE = {
  'GET /dashboard': asItIs,
  'GET /dashboard/': { 'the largest file': ({ largestIn }) => ({ path: largestIn('dashboard') }) },
  'GET /metrics': { 'as it is': () => ({ isManagement: true }) },
  'POST /unknown': { 'a list of objects': () => ({ body: elements(1024 * KB), status: 404 }) },
};
