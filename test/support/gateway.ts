import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts a gateway that serves a service below a path, and returns its address with that path. */
export async function startGateway(serviceUrl: string, path: string) {
  const { hostname, port } = new URL(serviceUrl);
  const server = createServer((incoming, outgoing) => {
    if (!incoming.url!.startsWith(`${path}/`)) return void outgoing.writeHead(404).end();
    const { method, headers } = incoming;
    const forwarded = request(
      { hostname, port, method, headers, path: incoming.url!.slice(path.length) },
      (response) => {
        outgoing.writeHead(response.statusCode!, response.headers);
        response.pipe(outgoing);
      },
    );
    incoming.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  return { url, close: () => server.close() };
}
