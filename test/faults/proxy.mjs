// A TCP proxy that simulates a bad network.
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The messages that prepare a statement, and that bind values to one, with their length, its name and its text. */
const PARSE = /P[^]{4}(ums_\d+)\0([^\0]*)\0/g;
const BIND = /B[^]{4}\0(ums_\d+)\0/g;

/** What a client sends, with the texts of the prepared statements that it names. */
function statementsIn(chunk, texts) {
  const sent = chunk.toString('latin1');
  for (const [, name, text] of sent.matchAll(PARSE)) texts.set(name, text);
  return [sent, ...[...sent.matchAll(BIND)].map(([, name]) => texts.get(name) ?? '')].join('\n');
}

export async function startProxy(target) {
  let mode = 'pass';
  let delayMs = 0;
  let lostAfter;
  const links = new Set();

  const server = createServer({ allowHalfOpen: false }, (near) => {
    near.on('error', () => {});
    if (mode === 'refuse') return near.resetAndDestroy();
    if (mode === 'swallow') return near.resume();
    const far = connect(target, '127.0.0.1').on('error', () => near.destroy());
    const link = { near, far, isSilent: false, isCut: false, texts: new Map() };
    links.add(link);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      from.on('data', async (chunk) => {
        const sent = from === near ? statementsIn(chunk, link.texts) : '';
        if (lostAfter && sent.includes(lostAfter)) {
          lostAfter = undefined;
          link.isCut = true;
        }
        if (delayMs > 0) await sleep(delayMs);
        if (from === far && link.isCut) near.resetAndDestroy();
        else if (!link.isSilent) to.write(chunk);
      });
      from.on('close', () => {
        // A silent connection passes on nothing, not even its end.
        if (!link.isSilent) to.destroy();
        if (near.destroyed && far.destroyed) links.delete(link);
      });
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: server.address().port,
    /** Passes on everything, on existing and new connections. */
    pass: () => (mode = 'pass'),
    refuse: () => (mode = 'refuse'),
    /** Accepts new connections without connecting them to the target. */
    swallow: () => (mode = 'swallow'),
    delay: (ms) => (delayMs = ms),
    reset() {
      for (const { near, far } of links) {
        near.resetAndDestroy();
        far.resetAndDestroy();
      }
    },
    /** The next connection that sends this text is reset instead of answered. */
    loseAnswerTo: (text) => (lostAfter = text),
    /** Whether a connection has sent that text. */
    hasLost: () => lostAfter === undefined,
    /** Existing connections pass on nothing more, in either direction; new ones still do. Returns their number. */
    silence() {
      for (const link of links) link.isSilent = true;
      return links.size;
    },
    close() {
      for (const { near, far } of links) [near, far].forEach((socket) => socket.destroy());
      return new Promise((done) => server.close(done));
    },
  };
}
