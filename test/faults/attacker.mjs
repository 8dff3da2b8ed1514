// What an attack can do. It is one tenant with one or a few tokens, and never waits for an answer before its next
// request.
import { connect } from 'node:net';
import { ask, newAgent, paced, randomWord } from './load.mjs';

let named = 0;
/** The body of a new user, with more fields. */
export const person = (more) => ({
  name: `Attacker ${++named}`,
  email: `attacker-${process.pid}-${named}@example.com`,
  ...more,
});

const words = (count) => Array.from({ length: count }, randomWord).join(' ');

/** The largest metadata. */
export const heavy = () => ({ metadata: { t: words(1_300).slice(0, 16_300) } });

/** Metadata of a kilobyte of new words, which the index of the search takes. */
export const wordy = () => ({ metadata: { t: words(76) } });

export class Attacker {
  answers = [];
  /** What the case has to say of its connections, if it opened some by itself. */
  connections = {};
  #pending = [];
  #agent = newAgent(Infinity);
  #turn = 0;

  /** What the attack knows: `place`, `url`, `organization`, `tokens`, and how many `seconds` it takes. */
  constructor(known) {
    Object.assign(this, known);
  }

  /** The tokens in turn. */
  get token() {
    return this.tokens[this.#turn++ % this.tokens.length];
  }

  send(method, path, body) {
    const sent = ask(this.url, path, { method, body, token: this.token, agent: this.#agent });
    this.#pending.push(sent.then((answer) => this.answers.push({ ...answer, text: undefined })));
    return sent;
  }

  get = (path) => this.send('GET', `/api/v1/users${path}`);
  create = (more) => this.send('POST', '/api/v1/users', person(more));
  patch = (id, body) => this.send('PATCH', `/api/v1/users/${id}`, body);

  /** Calls `run(n)` so often a second for the whole run. */
  rate = (perSecond, run) => paced(perSecond * this.seconds, 1_000 / perSecond, (n) => void run(n));

  /** Calls `run(n)` so often at once, every second. */
  burst(count, run) {
    return this.rate(1, () => {
      for (let n = 0; n < count; n++) void run(n);
    });
  }

  /** Runs with a transaction open that has executed the statement. */
  async during(sql, values, run) {
    const release = await this.place.server.hold(sql, values, this.place.database);
    await run().finally(release);
  }

  /** Creates users before the run, and returns their ids. */
  async newUsers(count) {
    const made = await Promise.all(Array.from({ length: count }, () => this.create()));
    return made.map(({ text }) => JSON.parse(text).id);
  }

  request = (path, token = this.token) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;

  /** Sends pipelined requests on a few connections, as many a second as are answered, and counts the answers. */
  async flood(perSecond, requestOf) {
    const [CONNECTIONS, TICK_MS, MAX_UNANSWERED] = [8, 20, 500];
    const perTick = (perSecond * TICK_MS) / 1000 / CONNECTIONS;
    const links = Array.from({ length: CONNECTIONS }, () => {
      const socket = connect(new URL(this.url).port, '127.0.0.1');
      const link = { socket, unanswered: 0, due: 0 };
      socket.setEncoding('latin1').on('error', () => {});
      socket.on('data', (text) => {
        for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
          link.unanswered--;
          this.answers.push({ status: Number(status), headers: { 'retry-after': 'unknown' } });
        }
      });
      return link;
    });
    await this.rate(1000 / TICK_MS, (n) => {
      for (const link of links) {
        link.due = Math.min(link.due + perTick, MAX_UNANSWERED - link.unanswered);
        const count = Math.max(0, Math.floor(link.due));
        link.due -= count;
        link.unanswered += count;
        if (count > 0) link.socket.write(Array.from({ length: count }, () => requestOf(n)).join(''));
      }
    });
    this.connections = { closed: links.filter(({ socket }) => socket.destroyed).length };
    for (const { socket } of links) socket.destroy();
  }

  /** Waits for all answers. */
  async settle() {
    await Promise.all(this.#pending);
    this.#agent.destroy();
  }
}
