// Asks for /livez every 5 ms, whether or not the former requests are answered, in a thread of its own, so that the work
// of the test does not delay its clock. To each message it answers what it has seen since the last one.
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { ask, failures, newAgent, slowest } from './load.mjs';

const EVERY_MS = 5;

const agent = newAgent();
let asked = [];

async function askLivez() {
  const { status, error, ms } = await ask(workerData.url, '/livez', { token: '', agent });
  return { status, error, ms };
}

parentPort.on('message', async () => {
  const since = asked;
  asked = [];
  const answers = await Promise.all(since);
  parentPort.postMessage({ longestMs: slowest(answers), failures: failures(answers) });
});

const from = performance.now();
for (let n = 1; ; n++) {
  asked.push(askLivez());
  await sleep(Math.max(0, from + n * EVERY_MS - performance.now()));
}
