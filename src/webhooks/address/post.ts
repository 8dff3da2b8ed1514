import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import { connect as connectTls } from 'node:tls';
import { type Step, Unanswered, unansweredBy } from './delivery-error';
import { type LookUp } from './look-up';
import type { Reach } from './reach';

/** The time limit of an attempt, from the look-up of the name to the status of the response. */
export const MAX_ATTEMPT_MS = 15_000;

/** How much of a response body is read, so that its sender can finish. It is discarded. */
const MAX_ANSWER_BYTES = 1024;
const MAX_ANSWER_MS = 1_000;

/** How often a receiver may run code of this process: by reads, informational responses, and session tickets of TLS. */
const MAX_READS = 200;
const MAX_INFORMATIONAL = 10;
const MAX_TICKETS = 10;

/** The parts of a response that matter. */
export interface Answer {
  status: number;
  /** The header as it was received. */
  retryAfter?: string;
  /** How long it took from the look-up of the name. */
  tookMs: number;
}

export interface Message {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Sends messages, each on its own connection, to addresses that are checked after the look-up and again once connected.
 */
export class Post {
  constructor(
    private readonly reach: Reach,
    private readonly lookUp: LookUp,
  ) {}

  /**
   * Rejects with `Unanswered` if no response comes in time, or the address may not be reached. Follows no redirect and
   * uses no proxy. The steps of an attempt; each leads to the next one, or ends the attempt without an answer:
   *
   *     look up    the addresses of the name; one that must not be reached ends it
   *        │
   *     connect    to one of them, which is checked again on the open connection
   *        │
   *     TLS        with https alone
   *        │
   *     answer     send headers and body, then wait for the status; an upgrade, too many informational responses, reads
   *        │       or session tickets end it
   *        │
   *     read       at most 1 KB of the body, for at most a second; what happens here no longer changes the answer
   *
   * The time limit and `abandoned` end every step, and the connection is always closed.
   */
  async send({ url, headers, body }: Message, abandoned: AbortSignal): Promise<Answer> {
    abandoned.throwIfAborted();
    const startedAt = performance.now();
    const target = new URL(url);
    const host = target.hostname.replace(/^\[(.*)\]$/, '$1');
    const isSecure = target.protocol === 'https:';
    const attempt = new AbortController();
    const { signal } = attempt;
    const endLate = () => attempt.abort(new Unanswered('timeout', 'The time of the attempt is over.'));
    const abandon = () => attempt.abort();
    const timer = setTimeout(endLate, MAX_ATTEMPT_MS);
    abandoned.addEventListener('abort', abandon, { once: true });
    let step: Step = 'look up';
    let socket: Socket | undefined;
    try {
      const addresses = await this.addressesOf(host, isSecure, signal);
      step = 'connect';
      const port = Number(target.port) || (isSecure ? 443 : 80);
      // By default it has 250 ms at all addresses but the last, which may be one of IPv6 that leads nowhere from here.
      const autoSelectFamilyAttemptTimeout = Math.floor(MAX_ATTEMPT_MS / (addresses.length + 1));
      const lookup = always(addresses);
      socket = connect({ host, port, lookup, autoSelectFamilyAttemptTimeout, signal });
      await opened(socket, 'connect', signal);
      if (!socket.remoteAddress) throw new Unanswered('reset', 'The connection has ended at once.');
      this.require([socket.remoteAddress], isSecure);
      if (isSecure) {
        step = 'tls';
        socket = connectTls({ socket, host, servername: isIP(host) === 0 ? host : undefined });
        await opened(socket, 'secureConnect', signal);
      }
      step = 'answer';
      const connected = socket;
      const request = (isSecure ? httpsRequest : httpRequest)(target, {
        method: 'POST',
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' },
        createConnection: () => connected, // so there is no agent
        signal,
      });
      request.on('error', () => {}); // an error after the response: the receiver has hung up, or its time is over
      endIfExcessive(attempt, request, socket);
      const answered = once(request, 'response', { signal }) as Promise<[IncomingMessage]>;
      request.end(body);
      const [response] = await answered;
      const tookMs = performance.now() - startedAt;
      await readOff(response);
      return { status: response.statusCode!, retryAfter: response.headers['retry-after'], tookMs };
    } catch (error) {
      throw unansweredBy(signal.aborted ? signal.reason : error, step);
    } finally {
      socket?.destroy();
      clearTimeout(timer);
      abandoned.removeEventListener('abort', abandon);
    }
  }

  private async addressesOf(host: string, isSecure: boolean, signal: AbortSignal): Promise<string[]> {
    const addresses = await this.lookUp(host, signal);
    if (addresses.length === 0) throw new Unanswered('dns', 'The name has no address.');
    this.require(addresses, isSecure);
    return addresses;
  }

  /** All addresses must be allowed: otherwise one public address would be enough to reach the others. */
  private require(addresses: readonly string[], isSecure: boolean): void {
    if (!addresses.every((address) => this.reach.includes(address, isSecure)))
      throw new Unanswered('address', 'The name has an address that a webhook may not reach.');
  }
}

/** A look-up that has been made before. */
const always =
  (addresses: readonly string[]): LookupFunction =>
  (_host, { all }, callback) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    if (all) callback(null, found);
    else callback(null, found[0].address, found[0].family);
  };

async function opened(socket: Socket, event: string, signal: AbortSignal): Promise<void> {
  socket.on('error', () => {}); // once() and the request report it
  await once(socket, event, { signal });
}

/** Ends an attempt if the receiver breaks the protocol or never stops sending headers. */
function endIfExcessive(attempt: AbortController, request: ClientRequest, socket: Socket): void {
  const end = () => attempt.abort(new Unanswered('protocol', 'The receiver leaves HTTP, or sends too much.'));
  // Not at once: Node's parser throws if its connection ends while it is at work.
  const endSoon = () => process.nextTick(end);
  const beyond = (limit: number, act: () => void) => () => limit-- === 0 && act();
  request.on('upgrade', endSoon);
  request.on('information', beyond(MAX_INFORMATIONAL, endSoon));
  request.once('socket', () => {
    // Not earlier: a listener makes the socket flow, and without a parser the first bytes would be lost.
    socket.on('data', beyond(MAX_READS, endSoon));
    // Of TLS. OpenSSL is at work until the next turn, and would crash.
    socket.on(
      'session',
      beyond(MAX_TICKETS, () => setImmediate(end)),
    );
  });
}

/** Waits for the end of the body, unless it is long or slow: only the status matters. */
async function readOff(response: IncomingMessage): Promise<void> {
  let left = MAX_ANSWER_BYTES;
  const timer = setTimeout(() => response.destroy(), MAX_ANSWER_MS);
  response.on('data', (chunk: Buffer) => (left -= chunk.length) <= 0 && response.destroy());
  await finished(response).catch(() => {});
  clearTimeout(timer);
}
