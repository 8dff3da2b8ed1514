// Sends requests and evaluates the responses.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN } from './replicas.mjs';

/** Longer than the service may ever take; a request that takes this long hangs. */
const HANGS_MS = 30_000;

export const newAgent = (maxSockets = 256) => new Agent({ keepAlive: true, maxSockets });
const shared = newAgent();

/**
 * Sends one request; never throws. Without a whole response, `status` is 0 and `error` gives the reason. `discard`
 * reads the text of the response and forgets it.
 */
export function ask(
  url,
  path,
  { method = 'GET', token = ADMIN, body, headers, agent = shared, hangsMs = HANGS_MS, discard = false } = {},
) {
  const at = performance.now();
  return new Promise((done) => {
    const end = (answer) => done({ method, path, at, ms: performance.now() - at, ...answer });
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const sent = request(
      new URL(path, url),
      {
        method,
        agent,
        headers: {
          ...(token && { Authorization: `Bearer ${token}` }),
          ...(text !== undefined && {
            'Content-Type': 'application/json',
            'Content-Length': Buffer.byteLength(text),
          }),
          ...headers,
        },
      },
      (response) => {
        let received = '';
        if (discard) response.resume();
        else response.setEncoding('utf8').on('data', (chunk) => (received += chunk));
        response.on('error', ({ code, message }) =>
          end({ status: 0, error: code ?? message, headers: response.headers }),
        );
        response.on('end', () =>
          end({ status: response.statusCode, headers: response.headers, text: received }),
        );
      },
    );
    sent.setTimeout(hangsMs, () => sent.destroy(new Error('hangs')));
    sent.on('error', (error) => end({ status: 0, error: error.code ?? error.message }));
    sent.end(text);
  });
}

/** Sends a request that must succeed, and returns the body of the response. */
export async function askFor(url, path, options) {
  const { method, status, error, text } = await ask(url, path, options);
  if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${error ?? `${status} ${text}`}`);
  return text && JSON.parse(text);
}

const pauseOf = ({ status, headers }) => (status === 503 ? Number(headers['retry-after']) * 1_000 : NaN);

/**
 * Sends a request again, as a client does, for as long as the answer is a 503 that says when. `refusals` are those
 * answers.
 */
export async function askPatiently(...request) {
  const refusals = [];
  for (;;) {
    const answer = await ask(...request);
    const pauseMs = pauseOf(answer);
    if (Number.isNaN(pauseMs) || refusals.length === 9) return { ...answer, refusals };
    refusals.push(answer);
    await sleep(pauseMs);
  }
}

/** The time limit of a search, and one that is shorter than any other timeout of the service. */
const SEARCH_MS = { limit: 500, most: 2_000 };

/**
 * Sends a request of a load. A search that may have reached its own time limit, as on a machine that is busy for a
 * moment, is sent once more. Its answer can be that of an outage, but comes neither as soon as a lost connection nor as
 * late as a timeout.
 */
export async function askUnderLoad(url, path, options) {
  const answer = await ask(url, path, options);
  const pauseMs = path.includes('/search?') ? pauseOf(answer) : NaN;
  if (Number.isNaN(pauseMs) || answer.ms < SEARCH_MS.limit || answer.ms >= SEARCH_MS.most) return answer;
  await sleep(pauseMs);
  return ask(url, path, options);
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** A word that nobody has yet. */
export const randomWord = () =>
  Array.from({ length: 12 }, () => LETTERS[Math.floor(Math.random() * LETTERS.length)]).join('');

let named = 0;
const user = () => ({ name: `Load ${++named}`, email: `load-${process.pid}-${named}@example.com` });

/** Calls `run(n)` so often, every so many milliseconds, or later where it waits for what it returns. */
export async function paced(count, everyMs, run) {
  const from = performance.now();
  for (let n = 0; n < count; n++) {
    await run(n);
    await sleep(Math.max(0, from + (n + 1) * everyMs - performance.now()));
  }
}

/** Repeats the work in so many callers until `stop()`, and collects the answers that it returns. */
export function repeat(callers, work) {
  const answers = [];
  let isOver = false;
  const going = Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let n = 0; !isOver; n++) answers.push(...[(await work(n, caller)) ?? []].flat());
    }),
  );
  return {
    answers,
    async stop() {
      isOver = true;
      await going;
      return answers;
    },
  };
}

/**
 * Starts `workers` concurrent callers that list, search, get, create, change and delete users on all `urls` in turn
 * until stopped. Records which writes were acknowledged.
 */
export function startLoad(urls, { workers = 16, pauseMs = 0, agent } = {}) {
  const acknowledged = new Map();
  const uncertain = new Map();
  const created = Array.from({ length: workers }, () => []);
  const first = created.map(() => Math.floor(Math.random() * 10));
  let turn = 0;
  const send = (path, options) => askUnderLoad(urls[turn++ % urls.length], path, { agent, ...options });

  /** Changes a user, who has this name afterwards, or is gone. */
  async function change(id, name, options) {
    uncertain.set(id, [...(uncertain.get(id) ?? []), name]);
    const answer = await send(`/api/v1/users/${id}`, options);
    if (answer.status === 200 || answer.status === 204) {
      acknowledged.set(id, name);
      uncertain.delete(id);
    }
    return answer;
  }
  async function create(own) {
    const body = user();
    const answer = await send('/api/v1/users', { method: 'POST', body });
    if (answer.status === 201) {
      const { id } = JSON.parse(answer.text);
      own.push(id);
      acknowledged.set(id, body.name);
    }
    return answer;
  }
  function step(i, own) {
    const id = own[i % Math.max(1, own.length)];
    if (i % 10 === 0) return send('/api/v1/users?limit=20');
    // Not all users: their emails would be read and sorted, more and more of them.
    if (i % 10 === 1) return send('/api/v1/users/search?q=load%201');
    if (i % 10 === 2 || !id) return create(own);
    if (i % 10 === 3) {
      const { name } = user();
      return change(id, name, { method: 'PATCH', body: { name } });
    }
    if (i % 10 === 4 && own.length > 5) return change(own.shift(), undefined, { method: 'DELETE' });
    return send(`/api/v1/users/${id}`);
  }
  const { answers, stop } = repeat(workers, async (n, caller) => {
    const answer = await step(first[caller] + n, created[caller]);
    if (pauseMs > 0) await sleep(pauseMs);
    return answer;
  });

  return {
    answers,
    stop,
    /** The acknowledged writes that are missing in the database. */
    async lost(query) {
      const rows = await query('SELECT id, name FROM users');
      const names = new Map(rows.map(({ id, name }) => [id, name]));
      return [...acknowledged].filter(
        ([id, name]) => names.get(id) !== name && !uncertain.get(id)?.includes(names.get(id)),
      );
    },
    writes: () => acknowledged.size,
  };
}

/** How often each status or error occurred. */
export function tally(answers) {
  const counts = {};
  for (const { status, error } of answers) counts[status || error] = (counts[status || error] ?? 0) + 1;
  return counts;
}

export const slowest = (answers) => Math.round(answers.reduce((most, { ms }) => Math.max(most, ms), 0));

/** The requests that started in a time span. */
export const since = (answers, from, to = Infinity) => answers.filter(({ at }) => at >= from && at < to);

export const failures = (answers) => answers.filter(({ status }) => status === 0 || status >= 500);

/** Failures that do not ask the caller to come back later. */
export const unexplained = (answers) =>
  failures(answers).filter(({ status, headers }) => status !== 503 || !headers['retry-after']);

/** Polls until the condition holds; returns the milliseconds that it took. */
export async function until(isSo, withinMs = 60_000) {
  const from = performance.now();
  while (!(await isSo())) {
    if (performance.now() - from > withinMs) throw new Error(`Timed out after ${withinMs} ms.`);
    await sleep(25);
  }
  return Math.round(performance.now() - from);
}
