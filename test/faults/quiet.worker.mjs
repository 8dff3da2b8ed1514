// Sends the requests of somebody quiet on time, whether or not the former ones are answered, unless it is patient, and
// receives webhooks, in a thread of its own so that the work of the test does not delay its clock.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { cpuTimeOf, ownWaitingTime } from './cpu-time.cjs';
import { ask, newAgent, paced, randomWord } from './load.mjs';

const { url, tokens, everyMs, asks, pid, isPatient, mostUnanswered = Infinity } = workerData;
const agent = newAgent();
const [worked, waited] = pid ? [cpuTimeOf(pid), ownWaitingTime()] : [() => 0, () => 0];
let asked = [];
let unanswered = 0;
let turn = 0;

/** Each name is a new word for the index of the search. */
function newUser() {
  const name = randomWord();
  return { name, email: `${name}@quiet.example` };
}

/** Sends one, and keeps the answer without its text. */
async function send({ method, path }) {
  const [workedBefore, waitedBefore] = [worked(), waited()];
  const body = method === 'POST' ? newUser() : undefined;
  unanswered++;
  const token = tokens[turn++ % tokens.length];
  const { status, error, ms } = await ask(url, path, { method, body, token, agent });
  unanswered--;
  // The service may work on while the answer waits for this thread to have a processor.
  const answeredMs = ms - (waited() - waitedBefore);
  const workedMs = Math.max(0, Math.min(worked() - workedBefore, answeredMs));
  return { method, email: body?.email, status, error, ms, workedMs, answeredAt: Date.now() };
}

const go = (count, pauseMs) =>
  paced(count, pauseMs, () => {
    if (unanswered < mostUnanswered) asked.push(...asks.map(send));
    return isPatient ? asked.at(-1) : undefined;
  });

const receiver = createServer(async (request, response) => {
  const at = Date.now();
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  response.writeHead(204).end();
  const { sequence, data } = JSON.parse(text);
  parentPort.postMessage({ received: { email: data.user.email, sequence, at } });
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');

parentPort.on('message', async ({ count, pauseMs }) => {
  await go(count, pauseMs);
  const since = asked;
  asked = [];
  parentPort.postMessage({ answers: await Promise.all(since) });
});
parentPort.postMessage({ port: receiver.address().port });
if (everyMs) await go(Infinity, everyMs);
