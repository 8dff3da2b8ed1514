// Measures what the quiet tenant notices of an attack, and what the process needs.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ask, failures, tally } from '../load.mjs';
import { Attacker } from './attacker.mjs';
import { newTokens } from './places.mjs';

const SAMPLE_MS = 250;
const MB = 1024 * 1024;

/** Enough tokens for the quiet tenant to stay below its limit in a run of a minute or two. */
const QUIET_TOKENS = 6;

/** Runs the quiet tenant beside `attack`, and returns what became of both. */
export async function run(place, service, organization, { attack, tokens = 1, seconds }) {
  const attacker = new Attacker(
    place,
    service,
    organization,
    await newTokens(service.url, organization.admin, tokens),
    seconds,
  );
  const quiet = await startQuietTenant(place, service);
  const stopSampling = sample(service);
  await attack(attacker);
  const answers = await quiet.stop();
  await attacker.settle();
  return { quiet: answers, attacker, ...(await stopSampling()) };
}

export async function startQuietTenant({ quiet }, { url }) {
  const tokens = await newTokens(url, quiet.admin, QUIET_TOKENS);
  const worker = new Worker(new URL('quiet-tenant.worker.mjs', import.meta.url), {
    workerData: { url, tokens },
  });
  const answered = once(worker, 'message');
  await once(worker, 'online');
  return {
    async stop() {
      worker.postMessage('stop');
      const [answers] = await answered;
      return answers;
    },
  };
}

/** Watches the process; returns its largest RSS and the longest delay of its event loop. */
function sample({ metrics }) {
  const worst = { rssMb: 0, loopMs: 0 };
  let isOver = false;
  const look = async () => {
    const { text = '' } = await ask(metrics.origin, metrics.pathname, { token: undefined });
    const read = (name) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? 0);
    worst.rssMb = Math.max(worst.rssMb, Math.round(read('process_resident_memory_bytes') / MB));
    worst.loopMs = Math.max(worst.loopMs, Math.round(read('nodejs_eventloop_lag_max_seconds') * 1000));
  };
  const looking = (async () => {
    await look(); // the delays before the run
    worst.loopMs = 0;
    while (!isOver) {
      await sleep(SAMPLE_MS);
      await look();
    }
  })();
  return async () => {
    isOver = true;
    await looking;
    return worst;
  };
}

/** The quiet tenant's figures: milliseconds of its answers, and what was refused or broke. */
export function figuresOf(answers) {
  const all = timesOf(answers);
  const [gets, posts] = ['GET', 'POST'].map((wanted) =>
    timesOf(answers.filter(({ method }) => method === wanted)),
  );
  const refused = answers.filter(({ status }) => status !== 200 && status !== 201);
  return {
    p50: all(0.5),
    p99: all(0.99),
    max: all(1),
    p99OfGets: gets(0.99),
    p99OfPosts: posts(0.99),
    of: answers.length,
    refused: tally(refused),
  };
}

/** The quantiles of the times of answers. */
function timesOf(answers) {
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  return (share) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))]);
}

/** Failures of the attacker that do not ask it to come back later. */
export const unexplained = (answers) =>
  failures(answers).filter(({ status, headers }) => status !== 503 || !headers['retry-after']);
