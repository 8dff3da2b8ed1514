// A load generator that is cheap compared with the server it measures: keep-alive sockets with one request at a time each.
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
 * Keeps `connections` sockets busy with the requests from `next()` until the time is up or `next()` returns undefined.
 * Returns the number of responses, their times in milliseconds and their statuses.
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
              return fail(new Error(`a response without Content-Length: ${received}`));
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
