// An issuer of OpenID Connect in a process of its own, because Jest cannot load its modules: prints its URL, and gives
// its client tokens for the audience in its arguments. A resource <audience>/<algorithm> chooses how they are signed.
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const [, , audience, client_secret] = process.argv;
const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const issuer = `http://127.0.0.1:${server.address().port}`;

const keys = [
  generateKeyPairSync('rsa', { modulusLength: 2048 }),
  generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  generateKeyPairSync('ed25519'),
].map(({ privateKey }) => privateKey.export({ format: 'jwk' }));

const provider = new Provider(issuer, {
  jwks: { keys },
  clients: [
    {
      client_id: 'pipeline',
      client_secret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    },
  ],
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_context, resource) => ({
        audience,
        scope: '',
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: resource.split('/').at(-1) } },
      }),
    },
  },
});
server.on('request', provider.callback());
process.stdout.write(`${issuer}\n`);
