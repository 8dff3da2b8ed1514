/**
 * @slow it starts processes
 * @only embedded postgres: a process calls others in the same way on a cluster
 */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { newTokenValue } from '../../src/tokens/token/token-value';
import { Client } from '../support/client';
import { copyOfTemplate } from '../support/database';
import { startIssuer } from '../support/issuer';
import { killLeft, start, stop } from '../support/process';
import { startReceiver } from '../support/receiver';
import { createWebhook, WEBHOOK_ENV } from '../support/webhooks';

const knowsProxies = process.allowedNodeEnvironmentFlags.has('--use-env-proxy');
if (!knowsProxies)
  process.stderr.write(`Node.js ${process.version} knows no proxy of the environment. Not tested: proxies\n`);

afterEach(killLeft);

/** A proxy on loopback, with the hosts that it was asked for. */
async function startProxy() {
  const hosts: string[] = [];
  const server = createServer((incoming, response) => {
    const { host } = new URL(incoming.url!);
    hosts.push(host);
    const { method, headers } = incoming;
    const outgoing = request(incoming.url!, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(outgoing);
  });
  server.on('connect', (incoming, socket) => {
    hosts.push(incoming.url!);
    const { hostname, port } = new URL(`http://${incoming.url}`);
    const target = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, hosts, close: () => void server.close().closeAllConnections() };
}

(knowsProxies ? it : it.skip)(
  'calls to an issuer use the proxy of the environment, and webhooks never do',
  async () => {
    const [proxy, issuer, receiver, database] = await Promise.all([
      startProxy(),
      startIssuer(),
      startReceiver(),
      copyOfTemplate(),
    ]);
    const token = newTokenValue();
    const service = await start({
      ...database.env,
      BOOTSTRAP_TOKEN: token,
      PUBLIC_URL: 'http://127.0.0.1:9',
      OIDC_ISSUER: issuer.url,
      OIDC_CLIENT_ID: issuer.clientId,
      OIDC_CLIENT_SECRET: issuer.clientSecret,
      ...WEBHOOK_ENV,
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: proxy.url,
      HTTPS_PROXY: proxy.url,
    });
    const api = new Client(service.url, { value: token });
    await api.get('/dashboard/sign-in').expect(303);
    expect(new Set(proxy.hosts)).toEqual(new Set([new URL(issuer.url).host]));

    await createWebhook(api, { url: receiver.url });
    await api.createUser();
    await receiver.until(1);
    expect(proxy.hosts).not.toContain(new URL(receiver.url).host);

    await stop(service);
    proxy.close();
    await Promise.all([issuer.down(), receiver.close(), database.drop()]);
  },
);
