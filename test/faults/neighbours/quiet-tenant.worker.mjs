// The quiet tenant, in a thread of its own so that the attacker's work does not delay its clock: one GET and one POST
// every 50 ms, whether or not the former ones are answered, until it is told to stop. Then it posts its answers.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { ask, newAgent } from '../load.mjs';
import { randomWord } from './words.mjs';

const EVERY_MS = 50;

const { url, tokens } = workerData;
const agent = newAgent();
const asked = [];
let isOver = false;

/** Each name is a new word for the index of the search. */
const newUser = () => {
  const name = randomWord();
  return { name, email: `${name}@quiet.example` };
};

/** Keeps the answer without its text. */
const send = async (path, options) => {
  const token = tokens[asked.length % tokens.length];
  const { method, status, error, ms } = await ask(url, path, { ...options, token, agent });
  return { method, status, error, ms };
};

void once(parentPort, 'message').then(() => (isOver = true));
const from = performance.now();
for (let n = 0; !isOver; n++) {
  asked.push(send('/api/v1/users?limit=1'));
  asked.push(
    send('/api/v1/users', {
      method: 'POST',
      body: newUser(),
    }),
  );
  await sleep(Math.max(0, from + (n + 1) * EVERY_MS - performance.now()));
}
parentPort.postMessage(await Promise.all(asked));
agent.destroy();
