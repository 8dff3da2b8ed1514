// Callers that repeatedly create, change, deactivate and delete a user each, like ZITADEL's benchmark of user writes.
import { readFileSync } from 'node:fs';
import { quantile } from '../compare.mjs';
import { BASE } from '../sides.mjs';
import { say } from './database.mjs';
import { anyOf, newPerson, send } from './requests.mjs';

export async function work(scale, { minutes, callers }) {
  const started = performance.now();
  const byMinute = Array.from({ length: minutes }, () => ({ rounds: 0, failed: 0, times: [] }));
  say('| minute | rounds/s | p50 ms a request | p99 ms | failed | memory, MB |');
  say('|---|---|---|---|---|---|');
  let said = 0;
  const report = () => {
    const { rounds, failed, times } = byMinute[said];
    times.sort((a, b) => a - b);
    const cells = [quantile(times, 0.5), quantile(times, 0.99)].map((ms) => ms.toFixed(1));
    say(
      `| ${++said} | ${(rounds / 60).toFixed(1)} | ${cells.join(' | ')} | ${failed} | ${memoryOf(scale.pid)} |`,
    );
    times.length = 0;
  };
  const caller = async () => {
    for (;;) {
      const minute = Math.floor((performance.now() - started) / 60_000);
      if (minute >= minutes) return;
      if (minute > said) report();
      await round(scale, byMinute[minute]);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  report();
}

async function round({ url, organizations }, minute) {
  const organization = anyOf(organizations);
  const request = async (method, path, expected, body) => {
    const response = await send(url, organization, path, { method, body });
    minute.times.push(response.ms);
    if (response.status !== expected) minute.failed++;
    return response.body;
  };
  const user = await request('POST', BASE, 201, newPerson());
  await request('PATCH', `${BASE}/${user.id}`, 200, { name: newPerson().name });
  await request('PATCH', `${BASE}/${user.id}`, 200, { active: false });
  await request('DELETE', `${BASE}/${user.id}`, 204);
  minute.rounds++;
}

const memoryOf = (pid) =>
  Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);
