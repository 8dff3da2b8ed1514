// Attacks by what is below the API: tokens that nobody has, responses that nobody reads.
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SHORT } from '../scene.mjs';

const require = createRequire(import.meta.url);
const { newTokenValue } = require('../../../dist/src/tokens/token-value.js');

const TOKENS = Array.from({ length: 20_000 }, newTokenValue);
let turn = 0;

const UNREAD_CONNECTIONS = SHORT ? 3 : 4;
const PIPELINED = 100;
const CLOSED_AFTER_MS = 35_000;

/** Opens connections that pipeline requests and read nothing; counts those that the service has closed in time. */
async function unread(a) {
  const sockets = [];
  await a.rate(UNREAD_CONNECTIONS / a.seconds, () => {
    const socket = connect({ port: new URL(a.url).port, host: '127.0.0.1', highWaterMark: 1 }).pause();
    socket.on('error', () => {});
    socket.write(a.request('/api/v1/users?limit=200').repeat(PIPELINED));
    sockets.push(socket);
  });
  if (!SHORT) {
    await sleep(CLOSED_AFTER_MS);
    // A connection that the service has closed ends as soon as what has arrived is read; any other stays open.
    await Promise.all(
      sockets.map((socket) => Promise.race([once(socket.resume(), 'close').catch(() => {}), sleep(3_000)])),
    );
    a.connections = { unread: sockets.length, open: sockets.filter(({ closed }) => !closed).length };
  }
  for (const socket of sockets) socket.destroy();
}

export const CONNECTIONS = {
  [`pages of 3 MB that nobody reads, ${UNREAD_CONNECTIONS} × ${PIPELINED} pipelined`]: {
    organization: 'heavy',
    control: (a) => a.rate((UNREAD_CONNECTIONS * PIPELINED) / a.seconds, () => a.get('?limit=1')),
    attack: unread,
  },
  '5000 unknown tokens a second': {
    control: (a) => a.flood(5_000, () => a.request('/livez')),
    attack: (a) => a.flood(5_000, () => a.request('/api/v1/users', TOKENS[turn++ % TOKENS.length])),
  },
};
