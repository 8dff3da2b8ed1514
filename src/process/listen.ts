import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';

/** Listens, and returns the port. If it cannot, the error names the variable that sets the port. */
export async function listen(server: Server, variable: string, port: number, host: string): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening').catch((error: Error) => Promise.reject(Object.assign(error, { variable })));
  return (server.address() as AddressInfo).port;
}
