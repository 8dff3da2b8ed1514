// Attacks by what is below the API: tokens that nobody has, responses that nobody reads, bodies that never arrive.
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

const STALLING = 40;
const STALLED = 16;

/** The admin tokens of new organizations. */
const newOrganizations = async ({ place }) => {
  const made = Array.from({ length: STALLING }, (_, n) => place.newOrganization(`Stalling ${n}`));
  return (await Promise.all(made)).map(({ admin }) => admin);
};

/** Keeps bodies that stop short of their last byte; another one follows each that is answered, once a second. */
async function stall(a, tokens) {
  const sockets = new Set();
  let isOver = false;
  const body = '{'.padEnd(64 * 1024 - 1);
  const open = (token) => {
    if (isOver) return;
    const socket = connect(new URL(a.url).port, '127.0.0.1').setEncoding('latin1');
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.once('data', (text) => {
      const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(text);
      const [, seconds] = /^retry-after: (\d+)/im.exec(text) ?? [];
      a.answers.push({ status: Number(status), headers: { 'retry-after': seconds } });
      socket.destroy();
      setTimeout(open, 1_000, token);
    });
    socket.write(
      `POST /api/v1/users HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${64 * 1024}\r\n\r\n${body}`,
    );
  };
  for (const token of tokens)
    for (let n = 0; n < STALLED; n++) setTimeout(open, Math.random() * 1_000, token);
  await sleep(a.seconds * 1000);
  isOver = true;
  a.connections = { stalled: sockets.size };
  for (const socket of sockets) socket.destroy();
}

export const CONNECTIONS = {
  [`${STALLED} bodies of each of ${STALLING} organizations that never arrive`]: {
    prepare: newOrganizations,
    control: (a, tokens) =>
      a.flood(STALLING * STALLED, (n) => a.request('/v1/tokens/current', tokens[n % STALLING])),
    attack: stall,
  },
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
