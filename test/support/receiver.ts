import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A message that a receiver has got. */
export interface Received {
  id: string;
  headers: Record<string, string>;
  body: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into it
  event: any;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** How it answers from now on. */
  answer(respond: (response: ServerResponse, message: Received) => void): void;
  /** Waits until it has got so many messages, or what the condition says. */
  until(condition: number | ((received: Received[]) => boolean), waitMs?: number): Promise<Received[]>;
  close(): Promise<void>;
}

const WAIT_MS = 150_000; // on a busy machine, a message takes far longer than on a quiet one

/** A receiver on loopback, which answers 204 unless it is told otherwise. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let respond = (response: ServerResponse, _message: Received): void => void response.writeHead(204).end();
  const server = createServer((request: IncomingMessage, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const headers = request.headers as Record<string, string>;
      const message = { id: headers['webhook-id'], headers, body, event: JSON.parse(body) };
      received.push(message);
      respond(response, message);
      for (const check of waiting) check();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answer: (next) => (respond = next),
    until(condition, waitMs = WAIT_MS) {
      const isMet =
        typeof condition === 'number' ? () => received.length >= condition : () => condition(received);
      return new Promise((resolve, reject) => {
        const check = () => {
          if (!isMet()) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve(received);
        };
        const fail = () => {
          waiting.delete(check);
          reject(
            new Error(
              `Only ${received.length} messages: ${received.slice(-20).map(({ event }) => event.type)}`,
            ),
          );
        };
        const timer = setTimeout(fail, waitMs);
        waiting.add(check);
        check();
      });
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/**
 * Verifies a message as the library of Standard Webhooks does, and returns its event. Throws if it is not signed with
 * the secret.
 */
export const verified = (secret: string, { body, headers }: Received): unknown =>
  new Webhook(secret).verify(body, headers);
