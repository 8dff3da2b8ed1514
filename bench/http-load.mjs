// A load generator that costs little beside the server it measures: sockets that stay open, each with one request at a time.
import { connect } from 'node:net';

/** The bytes of a request. */
export function request(method, path, { token, body } = {}) {
  const text = body === undefined ? '' : JSON.stringify(body);
  return [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${token}`,
    ...(text ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`] : []),
    '',
    text,
  ].join('\r\n');
}

/**
 * Keeps `connections` sockets busy for a time with what `next()` makes, until it has no more. Returns the answers' count,
 * their times and statuses.
 */
export async function load(url, next, { connections = 64, seconds }) {
  const { port, hostname } = new URL(url);
  const times = [];
  const statuses = {};
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  let endedAt = startedAt;
  await Promise.all(
    Array.from(
      { length: connections },
      () =>
        new Promise((done, fail) => {
          const socket = connect(port, hostname);
          socket.setNoDelay(true);
          let sentAt;
          let received = '';
          const send = () => {
            const bytes = performance.now() < endAt ? next() : undefined;
            if (bytes === undefined) return socket.end();
            received = '';
            sentAt = performance.now();
            socket.write(bytes);
          };
          socket.on('connect', send);
          socket.on('data', (chunk) => {
            received += chunk.latin1Slice();
            const head = received.indexOf('\r\n\r\n');
            if (head < 0) return;
            const status = received.slice(9, 12);
            const length = Number(/\r\ncontent-length: (\d+)/i.exec(received.slice(0, head))?.[1] ?? 0);
            if (length === 0 && status !== '204')
              return fail(new Error(`an answer without a length: ${received}`));
            if (received.length < head + 4 + length) return;
            endedAt = performance.now();
            times.push(endedAt - sentAt);
            statuses[status] = (statuses[status] ?? 0) + 1;
            send();
          });
          socket.on('close', done);
          socket.on('error', fail);
        }),
    ),
  );
  return {
    count: times.length,
    seconds: (endedAt - startedAt) / 1000,
    times: times.sort((a, b) => a - b),
    statuses,
  };
}
