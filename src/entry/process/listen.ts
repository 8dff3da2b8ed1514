import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Docker and Podman put one of these files into every container. */
const CONTAINER_MARKS = ['/.dockerenv', '/run/.containerenv'];

/**
 * The default of HOST. A service on the embedded database is there to be tried out, so only its own machine reaches it.
 * In a container this address would be of no use: nothing outside reaches it, published ports included.
 */
export function defaultHost(isEmbedded: boolean, env: NodeJS.ProcessEnv, marks = CONTAINER_MARKS): string {
  const inContainer = env.KUBERNETES_SERVICE_HOST !== undefined || marks.some((path) => existsSync(path));
  return isEmbedded && !inContainer ? '127.0.0.1' : '0.0.0.0';
}

const ALL = ['0.0.0.0', '::'];

/** The host as a browser on this machine can open it. */
export function displayHost(host: string): string {
  if (ALL.includes(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** The machines that can connect, in words. */
export function reachOf(host: string): string {
  if (ALL.includes(host)) return `${host}, which other machines can reach`;
  if (!/^(127\.|::1$|localhost$)/.test(host)) return host;
  return `${host}, which only this machine can reach; HOST=0.0.0.0 opens it to others`;
}

/**
 * How many connections wait to be accepted, if the system allows so many. Node accepts one in each turn of the event
 * loop, and has room for 511 by default. Beyond that, the system ignores connections until they are tried again, a
 * second or more later, and resets some of them when they send their request.
 */
const MAX_WAITING = 4_096;

/** Listens, and returns the port. If it cannot, the error names the variable that sets the port. */
export async function listen(server: Server, variable: string, port: number, host: string): Promise<number> {
  server.listen({ port, host, backlog: MAX_WAITING });
  await once(server, 'listening').catch((error: Error) => Promise.reject(Object.assign(error, { variable })));
  return (server.address() as AddressInfo).port;
}
