// The quiet tenant and its receiver, in a thread of their own so that the attack's work does not delay their clock. It
// creates so many users, one every so often, and tells when each was created and when its event arrived.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { ask, newAgent } from '../load.mjs';

const { url, token } = workerData;
const agent = newAgent();
let created = 0;

const receiver = createServer(async (request, response) => {
  const at = Date.now();
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  response.writeHead(204).end();
  const { sequence, data } = JSON.parse(text);
  parentPort.postMessage({ what: 'received', email: data.user.email, sequence, at });
});
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');
parentPort.postMessage({ what: 'listening', port: receiver.address().port });

parentPort.on('message', async ({ count, everyMs }) => {
  const from = performance.now();
  for (let n = 0; n < count; n++) {
    await sleep(Math.max(0, from + n * everyMs - performance.now()));
    const body = { name: 'Quiet', email: `quiet-${++created}@example.com` };
    const { status } = await ask(url, '/api/v1/users', { method: 'POST', body, token, agent });
    parentPort.postMessage({ what: 'created', email: body.email, status, at: Date.now() });
  }
  parentPort.postMessage({ what: 'done' });
});
