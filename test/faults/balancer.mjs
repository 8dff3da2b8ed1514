// A round-robin load balancer that follows /readyz. It never repeats a request that a replica may have received.
import { Agent, createServer, request } from 'node:http';
import { ask } from './load.mjs';

const POLL_MS = 200;

/** Starts the balancer. `replicas` may change while it runs. */
export async function startBalancer(replicas) {
  const ready = new Set();
  const agents = new Map();
  let turn = 0;

  const poll = async (replica) => {
    const { status } = await ask(replica.url, '/readyz', { token: '', agent: false, hangsMs: 1_000 });
    if (status === 200 && replicas.includes(replica)) ready.add(replica);
    else ready.delete(replica);
  };
  const timer = setInterval(() => {
    for (const replica of new Set([...replicas, ...ready])) void poll(replica);
  }, POLL_MS);

  const forward = (received, response, body) => {
    const all = [...ready];
    const replica = all[turn++ % all.length];
    const fail = (why) => {
      if (response.headersSent) return response.destroy();
      response.writeHead(502, { 'X-Balancer': why, 'X-Replica': replica?.process.pid ?? 0 }).end();
    };
    if (!replica) return fail('no replica is ready');
    if (!agents.has(replica)) agents.set(replica, new Agent({ keepAlive: true }));
    const headers = endToEnd(received.headers);
    const sent = request(
      `${replica.url}${received.url}`,
      { method: received.method, headers, agent: agents.get(replica) },
      (answer) => {
        const fields = endToEnd(answer.headers);
        response.writeHead(answer.statusCode, { ...fields, 'X-Replica': replica.process.pid });
        response.flushHeaders(); // they name the replica even if it dies before the body
        answer.on('error', () => response.destroy());
        answer.pipe(response);
      },
    );
    sent.on('error', ({ code, message }) => {
      ready.delete(replica);
      if (code === 'ECONNREFUSED') return forward(received, response, body);
      fail(code ?? message);
    });
    sent.end(body);
  };

  const server = createServer((received, response) => {
    const chunks = [];
    received.on('data', (chunk) => chunks.push(chunk));
    received.on('end', () => forward(received, response, Buffer.concat(chunks)));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  await Promise.all(replicas.map(poll));

  return {
    url: `http://127.0.0.1:${server.address().port}`,
    ready,
    close() {
      clearInterval(timer);
      server.closeAllConnections();
      for (const agent of agents.values()) agent.destroy();
      return new Promise((done) => server.close(done));
    },
  };
}

/** Removes the hop-by-hop headers. */
const endToEnd = (headers) =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !['connection', 'keep-alive', 'transfer-encoding'].includes(name),
    ),
  );
