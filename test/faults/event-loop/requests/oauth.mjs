// The heaviest requests of the token endpoint.
import { elements, filled, KB, list } from '../bodies.mjs';

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
    'unknown fields': client(list(46, (n) => `&${n}=${'x'.repeat(330)}`).join('')),
    'too many fields': client(list(12_000, (n) => `&${n.toString(36)}=`).join(''), { status: REFUSED }),
    'empty fields': client('&'.repeat(63 * KB), { status: REFUSED }),
    'a long unknown field': client(`${ASSERTION}&a=${'x'.repeat(63 * KB)}`),
    'an encoded unknown field': client(`${ASSERTION}&a=${filled(63 * KB, '%C3%A9')}`),
    'encoded names': client(
      ASSERTION + list(45, (n) => `&${filled(1.3 * KB, '%C3%A9%E2%82%AC')}${n}=+`).join(''),
    ),
    'known scopes': client(`${ASSERTION}&scope=${filled(63 * KB, 'users:read+')}`),
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
    'a header of objects': signed('"a":0', OBJECTS),
    'a nested header': signed('"a":0', NESTED),
    'an assertion of dots': () => assertion('.'.repeat(63 * KB), { status: REFUSED }),
  },
};
