// Asks for /livez every 5 ms, also while former requests are not answered, in a thread of its own, so that the work of
// the test does not delay its clock. To each message it answers what it has seen since the last one.
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { cpuTimeOf, ownWaitingTime } from './cpu-time.cjs';
import { ask, failures, newAgent, slowest } from './load.mjs';

const EVERY_MS = 5;
/** More would wait for each other, and tell no more. */
const MAX_UNANSWERED = 20;

const { url, pid } = workerData;
const worked = cpuTimeOf(pid);
const waited = ownWaitingTime();
const agent = newAgent();
let asked = [];
let unanswered = 0;

async function askLivez() {
  const [workedBefore, waitedBefore] = [worked(), waited()];
  unanswered++;
  const { status, error, ms } = await ask(url, '/livez', { token: '', agent });
  unanswered--;
  // The service may work on while the answer waits for this thread to have a processor.
  const answeredMs = ms - (waited() - waitedBefore);
  return { status, error, ms, workedMs: Math.max(0, Math.min(worked() - workedBefore, answeredMs)) };
}

parentPort.on('message', async () => {
  const since = asked;
  asked = [];
  const answers = await Promise.all(since);
  parentPort.postMessage({
    livezMs: slowest(answers),
    workedMs: Math.round(Math.max(0, ...answers.map(({ workedMs }) => workedMs))),
    failures: failures(answers),
  });
});

const from = performance.now();
for (let n = 1; ; n++) {
  if (unanswered < MAX_UNANSWERED) asked.push(askLivez());
  await sleep(Math.max(0, from + n * EVERY_MS - performance.now()));
}
