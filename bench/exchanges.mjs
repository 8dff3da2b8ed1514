// Compares the exchanges of the token endpoint with a create and a read, and reads with a token of an exchange with
// those of its parent. Give it many organizations: a token has at most 1,000 living children.
//   node bench/exchanges.mjs [--organizations 1000] [--users 10000] [--state fresh|stale|unvacuumed] [--callers 32]
//     [--rounds 5] [--seconds 3]
import { once } from 'node:events';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { compare } from './compare.mjs';
import { create, readOne } from './operations.mjs';
import { builds, openSides, program, undoLater } from './scene.mjs';

const AUDIENCE = 'https://users.example.com';
const PATH = '/oauth/token';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** An issuer on loopback, and an assertion of it for each subject. */
async function startIssuer(alg) {
  const { privateKey, publicKey } = await generateKeyPair(alg);
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'bench' }];
  const server = createServer(({ url }, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(url.endsWith('/keys') ? { keys } : { issuer, jwks_uri: `${issuer}/keys` }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  undoLater(() => server.close());
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const sign = (subject) =>
    new SignJWT({})
      .setProtectedHeader({ alg, kid: 'bench' })
      .setIssuer(issuer)
      .setSubject(subject)
      .setAudience(AUDIENCE)
      .setExpirationTime('8h')
      .sign(privateKey);
  return { issuer, sign };
}

const anyOf = (list) => list[Math.floor(Math.random() * list.length)];

const exchangeOf = ({ organizations }, fields) => {
  const organization = anyOf(organizations);
  const body = new URLSearchParams(fields(organization)).toString();
  return { method: 'POST', path: PATH, organization, body, headers: FORM };
};

const clientCredentials = {
  name: 'exchange of client credentials',
  requestOf: (side) =>
    exchangeOf(side, ({ tokenId, token }) => ({
      grant_type: 'client_credentials',
      client_id: tokenId,
      client_secret: token,
    })),
};

const assertion = {
  name: 'exchange of an assertion',
  requestOf: (side) =>
    exchangeOf(side, ({ assertion }) => ({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion,
    })),
};

const readWithChild = {
  name: 'read one with a token of an exchange',
  requestOf: (side) => {
    const { organization, ...request } = readOne.requestOf(side);
    return { ...request, organization, headers: { Authorization: `Bearer ${organization.child}` } };
  },
};

const defaults = {
  organizations: 1_000,
  users: 10_000,
  state: 'fresh',
  callers: 32,
  rounds: 5,
  seconds: 3,
};

await program(defaults, async (options) => {
  const { issuer, sign } = await startIssuer('RS256');
  const variablesOf = async (organizations) => {
    for (const organization of organizations) organization.assertion = await sign(organization.id);
    const rules = organizations.map(({ id }) => `${issuer} sub=${id} -> ${id} users:read users:write`);
    return { PUBLIC_URL: AUDIENCE, TOKEN_ISSUERS: rules.join() };
  };
  const [service] = builds({ before: '' });
  const sides = await openSides([{ ...service, variablesOf }], options);
  for (const { url, client, organizations } of sides)
    for (const organization of organizations) {
      const { rows } = await client.query('SELECT id FROM tokens WHERE organization_id = $1', [
        organization.id,
      ]);
      organization.tokenId = rows[0].id;
      const { body, path, method, headers } = clientCredentials.requestOf({ organizations: [organization] });
      const response = await fetch(`${url}${path}`, { method, headers, body });
      organization.child = (await response.json()).access_token;
    }
  await compare(sides, [create, clientCredentials, assertion, readOne, readWithChild], options);
});
