// The heaviest requests of the token endpoint, those without a token, and those of what no controller serves.
import { elements, filled, KB, list } from './bodies.mjs';

/** A network that has failed often is refused. */
const REFUSED = [400, 401, 429];

/** What an assertion may have beside what it must, as base64 takes a third more. */
const BYTES = 46 * KB;

/** A form with an assertion may be as long as any body, whatever it is for. */
const ASSERTION = '&assertion=a';

/** Members of an object that are as large, or as deep, as they can be. */
const OBJECTS = `"a":${elements(BYTES)}`;
const NESTED = `"a":${'['.repeat(BYTES / 2)}${']'.repeat(BYTES / 2)}`;

const request = (body, more) => ({
  token: null,
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  body: typeof body === 'string' ? body : new URLSearchParams(body).toString(),
  ...more,
});

/** The credentials of a new token, as a form. */
async function credentials(scene) {
  const { id, token } = await scene.send('POST', '/v1/tokens', { name: 'loop', scopes: ['admin'] });
  return `grant_type=client_credentials&client_id=${id}&client_secret=${token}`;
}
/** The same with another field, or several. */
const client = (more, answer) => async (scene) => request((await credentials(scene)) + more, answer);

const assertion = (text, more) =>
  request({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: text }, more);
const signed =
  (...members) =>
  ({ issuer }) =>
    assertion(issuer.sign(...members));
const several = (last) => JSON.stringify([...list(6_000, (n) => n.toString(36)), last]);

const BASIC = Buffer.from(`tok_a:${'%C3%A9'.repeat(1.5 * KB)}`).toString('base64');

export const OAUTH = {
  'POST /oauth/token': {
    'client credentials': client(''),
    'too many fields': client(list(12_000, (n) => `&${n.toString(36)}=`).join(''), { status: REFUSED }),
    'empty fields': client('&'.repeat(63 * KB), { status: REFUSED }),
    'an encoded unknown field': client(`${ASSERTION}&a=${filled(63 * KB, '%C3%A9')}`),
    'unknown scopes': client(`${ASSERTION}&scope=${list(12_000, (n) => n.toString(36)).join('+')}`, {
      status: REFUSED,
    }),
    'a long secret': () =>
      request(`grant_type=client_credentials&client_id=a&client_secret=umt_${'x'.repeat(63 * KB)}`, {
        status: REFUSED,
      }),
    'a long secret by HTTP Basic': () =>
      request('grant_type=client_credentials', {
        headers: { ...request('').headers, Authorization: `Basic ${BASIC}` },
        status: REFUSED,
      }),
    'an assertion': signed(),
    'claims of objects': signed(OBJECTS),
    'nested claims': signed(NESTED),
    'many groups': signed(`"groups":${several('loop')}`),
    'many audiences': (scene) => signed(`"aud":${several(scene.publicUrl)}`)(scene),
    'a nested header': signed('"a":0', NESTED),
    'an assertion of dots': () => assertion('.'.repeat(63 * KB), { status: REFUSED }),
  },
};

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

/** What is no route of a controller. */
export const OUTSIDE = {
  'GET /dashboard': asItIs,
  'GET /dashboard/': { 'the largest file': ({ largestIn }) => ({ path: largestIn('dashboard') }) },
  'GET /metrics': { 'as it is': () => ({ isManagement: true }) },
  'POST /unknown': { 'a list of objects': () => ({ body: elements(1024 * KB), status: 404 }) },
};
