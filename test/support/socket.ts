import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A connection to a service that reads nothing until it is told to. */
export async function connectTo(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {}); // a reset by the service; `close` follows
  await once(socket, 'connect');
  return socket.pause();
}

/**
 * Resolves when the connection has closed, by a reset too: `once()` would reject with that. The system resets a
 * connection instead of ending it when the other side closes it with bytes that it has not read, or is short of memory.
 */
export async function untilClosed(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise((done) => socket.once('close', done));
}

/** Reads a part each second, up to so many bytes or until the connection has closed; returns how many it got. */
export async function readSlowly(socket: Socket, bytes: number, part: number): Promise<number> {
  let read = 0;
  while (read < bytes && !socket.destroyed) {
    const chunk: Buffer | null = socket.read(Math.min(part, bytes - read));
    read += chunk?.length ?? 0;
    await sleep(chunk ? 1_000 : 10);
  }
  return read;
}

/**
 * Sends bytes, which may be invalid HTTP, and `later` after a delay. Returns everything that is answered until the end.
 */
export async function exchange(url: string, bytes: string, later?: string): Promise<string> {
  const socket = await connectTo(url);
  socket.write(bytes);
  if (later !== undefined) setTimeout(() => socket.write(later), 200);
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk) => (answer += chunk));
  socket.resume();
  await untilClosed(socket);
  return answer;
}
