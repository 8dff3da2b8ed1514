// Installs OpenTelemetry as docs/tracing.md describes, starts the service with deploy/tracing.cjs, and checks the spans
// that a collector receives, and that the log names them. Requires a PostgreSQL: the server in TEST_DATABASE_URL, or an
// installed one.
import { Buffer } from 'node:buffer';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from './postgres.mjs';

const directory = mkdtempSync(join(tmpdir(), 'ums-tracing-'));
const install = /^npm install .*opentelemetry.*$/m.exec(readFileSync('docs/tracing.md', 'utf8'))[0];
writeFileSync(join(directory, 'package.json'), '{ "private": true }');
execFileSync(`${install} --no-audit --no-fund --loglevel error`, {
  cwd: directory,
  shell: true,
  stdio: 'inherit',
});
cpSync('deploy/tracing.cjs', join(directory, 'tracing.cjs'));

const spans = [];
const collector = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  if (request.url === '/v1/traces') {
    for (const { scopeSpans } of JSON.parse(Buffer.concat(chunks)).resourceSpans)
      for (const { scope, spans: some } of scopeSpans)
        for (const span of some) spans.push({ ...span, by: scope.name.replace(/.*instrumentation-/, '') });
  }
  response.setHeader('Content-Type', 'application/json').end('{}');
}).listen(0, '127.0.0.1');
await once(collector, 'listening');

const server = await startPostgres(directory);
const token = JSON.parse(
  execFileSync(process.execPath, ['dist/src/cli.js', 'tokens', 'generate', '--json'], { encoding: 'utf8' }),
).token;
const service = spawn(process.execPath, ['dist/src/main.js', '--json'], {
  env: {
    ...process.env,
    DATABASE_URL: await server.createDatabase('ums_tracing'),
    BOOTSTRAP_TOKEN: token,
    PORT: '0',
    NODE_OPTIONS: `--require ${join(directory, 'tracing.cjs')}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.address().port}`,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const log = [];
const lines = createInterface(service.stdout).on('line', (line) => log.push(JSON.parse(line)));
try {
  await once(lines, 'line');
  const [{ url }] = log;
  const headers = { Authorization: `Bearer ${token}` };
  const { status } = await fetch(`${url}/api/v1/users/search?q=lovelace`, { headers });
  if (status !== 200) throw new Error(`The search returned ${status}.`);

  const found = () => {
    const root = spans.find(({ by, name }) => by === 'http' && name.includes('/api/v1/users/search'));
    const trace = spans.filter(({ traceId }) => traceId === root?.traceId);
    return { root, trace, kinds: new Set(trace.map(({ by }) => by)) };
  };
  for (const end = Date.now() + 15_000; found().kinds.size < 3 && Date.now() < end;) await sleep(100);
  const { root, trace, kinds } = found();
  for (const { by, name } of trace) process.stdout.write(`${by}: ${name}\n`);
  for (const kind of ['http', 'express', 'pg'])
    if (!kinds.has(kind)) throw new Error(`The trace of the request has no ${kind} span.`);
  const traceText = JSON.stringify(trace);
  for (const secret of ['lovelace', token])
    if (traceText.includes(secret)) throw new Error(`A span contains ${secret}.`);
  const logged = log.find(({ route }) => route === '/api/v1/users/search');
  if (logged?.trace_id !== root.traceId || logged.span_id !== root.spanId)
    throw new Error(`The log does not name the span of the request: ${JSON.stringify(logged)}`);
  process.stdout.write(`One trace, ${trace.length} spans: ${root.name}\n`);
} finally {
  service.kill('SIGINT');
  await once(service, 'close');
  collector.close();
  collector.closeAllConnections();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}
