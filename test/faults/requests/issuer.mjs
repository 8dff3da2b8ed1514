// An issuer whose assertions the service exchanges.
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

const encoded = (text) => Buffer.from(text).toString('base64url');

export async function startIssuer(audience) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys = [publicKey.export({ format: 'jwk' })];
  const server = createServer(({ url: path }, response) =>
    response.end(JSON.stringify(path === '/keys' ? { keys } : { issuer: url, jwks_uri: `${url}/keys` })),
  ).listen(0, '127.0.0.1');
  server.unref(); // it ends with the process
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;

  /** Of an assertion: "iss", "aud", "exp" and what a rule looks at, before the given members, which may replace it. */
  const claims = (members) => {
    const exp = Math.floor(Date.now() / 1000) + 3_600;
    const text = JSON.stringify({ iss: url, aud: audience, exp, sub: 'loop', groups: ['loop'] });
    return members ? `${text.slice(0, -1)},${members}}` : text;
  };
  return {
    /** Gives this organization to assertions. One of their claims may be a list. */
    ruleFor: (organization) => `${url} sub=loop groups=loop -> ${organization} admin`,
    /** An assertion with further members, as text, of its claims and of its header. */
    sign(members, ofHeader = '"typ":"JWT"') {
      const content = `${encoded(`{"alg":"ES256",${ofHeader}}`)}.${encoded(claims(members))}`;
      const signature = sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${content}.${signature.toString('base64url')}`;
    },
  };
}
