// Asks for /livez every 5 ms, whether or not the former requests are answered, in a thread of its own, so that the work
// of the test does not delay its clock. To each message it answers with the longest time since the last one.
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { ask, newAgent } from '../load.mjs';

const EVERY_MS = 5;

const agent = newAgent();
let asked = [];

parentPort.on('message', async () => {
  const since = asked;
  asked = [];
  const answers = await Promise.all(since);
  const failed = answers.find(({ status }) => status !== 200);
  parentPort.postMessage({
    longestMs: Math.max(0, ...answers.map(({ ms }) => ms)),
    failed: failed && (failed.status || failed.error),
  });
});

const from = performance.now();
for (let n = 1; ; n++) {
  asked.push(
    ask(workerData.url, '/livez', { token: '', agent }).then(({ status, error, ms }) => ({ status, error, ms })),
  );
  await sleep(Math.max(0, from + n * EVERY_MS - performance.now()));
}
