/**
 * @only embedded: it tests what happens before the database is asked
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connectTo } from '../support/socket';
import { ACME, PUBLIC_URL, useSignIn } from '../support/sign-in';

const { issuer, service, browse } = useSignIn();

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Begins to send a body, and returns the head of the response, or of what asks for the body. */
async function begin(headers: Record<string, string>) {
  const socket = await connectTo(service.url);
  sockets.push(socket);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(
    `POST /dashboard/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 65536\r\nExpect: 100-continue\r\n${lines.join('')}\r\n`,
  );
  await once(socket, 'readable');
  return String(socket.read());
}

/** The cookie of a person who may choose between two organizations. */
async function signedIn() {
  issuer.claims = { groups: ['Admins', 'Globex'] };
  const browser = browse();
  await browser.signIn();
  const Cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return { browser, Cookie };
}

describe('POST /dashboard/session', () => {
  it('reads no body from another origin, or without a sign-in', async () => {
    const { Cookie } = await signedIn();
    expect(await begin({ Cookie })).toMatch(/^HTTP\/1\.1 403 /);
    expect(await begin({ Cookie, Origin: 'https://evil.example' })).toMatch(/^HTTP\/1\.1 403 /);
    expect(await begin({ Origin: PUBLIC_URL })).toMatch(/^HTTP\/1\.1 401 [^]*WWW-Authenticate: Bearer\r\n/);
    expect(await begin({ Origin: PUBLIC_URL, Cookie: Cookie.slice(0, -9) })).toMatch(/^HTTP\/1\.1 401 /);
    expect(await begin({ Cookie, Origin: PUBLIC_URL })).toMatch(/^HTTP\/1\.1 100 /);
  });

  it('is open to a network of which other bodies never arrive', async () => {
    const { browser, Cookie } = await signedIn();
    const headers = { Cookie, Origin: PUBLIC_URL, 'X-Forwarded-For': '2001:db8::1' };
    for (let i = 0; i < 20; i++) expect(await begin(headers)).toContain('100 Continue');
    const choice = await browser.request(`${PUBLIC_URL}/dashboard/session`, {
      method: 'POST',
      headers: { Origin: PUBLIC_URL, 'Content-Type': 'application/json', 'X-Forwarded-For': '2001:db8::2' },
      body: JSON.stringify({ organizationId: ACME }),
    });
    expect(choice.status).toBe(201);
  });
});
