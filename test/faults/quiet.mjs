// Somebody quiet, whose few requests are timed beside an attack.
import { EventEmitter, once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { failures, slowest } from './load.mjs';

const LIST = { method: 'GET', path: '/api/v1/users?limit=1' };
const CREATE = { method: 'POST', path: '/api/v1/users' };
const LIVEZ = { method: 'GET', path: '/livez' };

/** How long the service may work before it answers /livez, whatever it is asked besides. */
export const MAX_LIVEZ_MS = 500;

/** Starts to send all of `asks` every so often, with the tokens in turn; without `everyMs`, only when it is told. */
async function start(options) {
  const worker = new Worker(new URL('quiet.worker.mjs', import.meta.url), { workerData: options });
  const events = new EventEmitter();
  worker.on('message', (message) => {
    for (const [what, value] of Object.entries(message)) events.emit(what, value);
  });
  worker.on('error', (error) => events.emit('error', error));
  const [port] = await once(events, 'port');
  return {
    events,
    /** Where it receives webhooks, each of which is an event `received`. */
    receiver: `http://127.0.0.1:${port}/`,
    /** Sends all so many times more, and returns the answers since the last call, when all have come. */
    async send(count = 0, pauseMs = 0) {
      worker.postMessage({ count, pauseMs });
      return (await once(events, 'answers'))[0];
    },
    stop: () => worker.terminate(),
  };
}

/** A tenant that lists and creates a user every 50 ms. */
export const startReader = (url, tokens) => start({ url, tokens, everyMs: 50, asks: [LIST, CREATE] });

/** A tenant that creates users when it is told, one after the other. */
export const startWriter = (url, tokens) => start({ url, tokens, asks: [CREATE], isPatient: true });

/** Asks a replica for /livez every 5 ms. More unanswered ones would wait for each other, and tell no more. */
export async function watchLivez({ url, process }) {
  const options = { url, tokens: [''], everyMs: 5, asks: [LIVEZ], mostUnanswered: 20, pid: process.pid };
  const { send, stop } = await start(options);
  return {
    /**
     * Since the last call: how long an answer has taken at most (`livezMs`), how long the service has worked meanwhile
     * at most (`workedMs`), and the failures. Waits for what has not been answered.
     */
    async look() {
      const answers = await send();
      const workedMs = Math.round(Math.max(0, ...answers.map((answer) => answer.workedMs)));
      return { livezMs: slowest(answers), workedMs, failures: failures(answers) };
    },
    stop,
  };
}
