// Compares the latency of the API for an organization with 20 dead receivers and for one without webhooks:
//   node bench/webhooks.mjs [--rounds 7] [--seconds 3] [--users 10000] [--callers 8]
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { parseArgs } from 'node:util';
import { measure, range } from './compare.mjs';
import { createUser, patchRole, readOne } from './operations.mjs';
import { openSides, progress, service, stopAll, undoLater } from './sides.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '3' },
    users: { type: 'string', default: '10000' },
    callers: { type: 'string', default: '8' },
  },
});
const [rounds, seconds, users, callers] = [values.rounds, values.seconds, values.users, values.callers].map(
  Number,
);

const env = {
  WEBHOOK_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
};

/** Half of the receivers accept connections and never answer; the others do not listen. */
async function makeDeadReceivers({ url, organizations: [{ token }] }) {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  undoLater(() => silent.close());
  for (let i = 0; i < 20; i++) {
    const receiver = `http://127.0.0.1:${i % 2 ? silent.address().port : 9}/`;
    const response = await fetch(`${url}/api/v1/webhooks`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: receiver, types: ['*'], ordering: i < 10 ? 'none' : 'organization' }),
    });
    if (response.status !== 201) throw new Error(await response.text());
  }
}

try {
  const sides = await openSides(
    [
      { ...service, name: 'none', env },
      { ...service, name: 'dead', env },
    ],
    { organizations: 1, users },
  );
  const [none, dead] = sides;
  await makeDeadReceivers(dead);
  const operations = [readOne, createUser, patchRole];
  const ratios = new Map(operations.map(({ name }) => [name, { p50: [], p99: [], rate: [] }]));
  for (let round = 0; round <= rounds; round++) {
    for (const side of sides) await side.refresh();
    for (const operation of operations) {
      const results = new Map();
      for (const side of round % 2 ? [dead, none] : [none, dead])
        results.set(side, await measure(side, operation, { seconds, callers }));
      if (round === 0) continue; // V8 optimizes the code meanwhile, and the receivers fail for the first time
      for (const [key, list] of Object.entries(ratios.get(operation.name)))
        list.push(results.get(dead)[key] / results.get(none)[key]);
    }
    progress(`round ${round} of ${rounds}`);
  }
  process.stdout.write(
    `With 20 dead receivers × of without; ${callers} callers; median (least–most) of ${rounds} rounds of ${seconds} s.\n\n` +
      '| operation | p99 | p50 | requests/s |\n|---|---|---|---|\n',
  );
  for (const [name, { p99, p50, rate }] of ratios)
    process.stdout.write(`| ${name} | ${range(p99, 2)} | ${range(p50, 2)} | ${range(rate, 2)} |\n`);
} finally {
  await stopAll();
}
