// Fills the database in pieces: one organization with `ums users import` from a pipe, several with batches of the API.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { cpuOf } from '../cpu.mjs';
import { measure } from '../compare.mjs';
import { BASE } from '../sides.mjs';
import { say } from './database.mjs';
import { createUser } from './requests.mjs';

const { person } = createRequire(import.meta.url)('../../dist/src/demo/people.js');

const PER_BATCH = 500;
const FIRST = 100_000;
const PIECE = 500_000;

export async function fill(scale, { users, minutes }) {
  const { state, save } = scale;
  const end = performance.now() + minutes * 60_000;
  say('| users | rows/s | CPU of Node, µs a row | of PostgreSQL | memory of the import, MB |');
  say('|---|---|---|---|---|');
  while (state.users < users && performance.now() < end) {
    const to = Math.min(users, state.users < FIRST ? FIRST : nextPiece(state.users));
    const isRepeat = state.isPieceOpen;
    state.isPieceOpen = true;
    save();
    const rows = to - state.users;
    const before = { at: performance.now(), postgres: postgresCpu(scale) };
    const { node, memory } = await fillTo(scale, to, isRepeat ? 'upsert' : 'create');
    const seconds = (performance.now() - before.at) / 1000;
    const perRow = (cpu) => Math.round((cpu / rows) * 1e6);
    Object.assign(state, { users: to, isPieceOpen: false });
    save();
    const cells = [
      to,
      Math.round(rows / seconds),
      perRow(node),
      perRow(postgresCpu(scale) - before.postgres),
    ];
    say(`| ${cells.join(' | ')} | ${Math.round(memory)} |${isRepeat ? ' begun by an earlier run' : ''}`);
    if (to === FIRST) await sayCreates(scale);
  }
  if (state.users >= users) await sayCreates(scale);
  else say(`The time is over; ${users - state.users} users are missing. Run it again.`);
}

const nextPiece = (users) => (Math.floor(users / PIECE) + 1) * PIECE;
const postgresCpu = ({ postgresPids }) => postgresPids().reduce((sum, pid) => sum + cpuOf(pid), 0);

async function sayCreates(scale) {
  const { rate, node, postgres, p50, p99 } = await measure(scale, createUser, { seconds: 20, callers: 16 });
  say(
    `creates with 16 callers at ${scale.state.users} users: ${rate.toFixed(0)}/s, CPU of Node ${node.toFixed(0)} µs, ` +
      `of PostgreSQL ${postgres.toFixed(0)} µs, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
  );
}

const fillTo = (scale, to, mode) =>
  scale.organizations.length === 1 ? importTo(scale, to, mode) : sendTo(scale, to, mode);

async function importTo({ state, databaseUrl }, to, mode) {
  const [{ id }] = state.organizations;
  const args = ['users', 'import', '-', '--format', 'csv', '--organization', id, '--mode', mode, '--json'];
  const child = spawn(process.execPath, ['dist/src/cli.js', ...args], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl, NODE_ENV: 'production' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let node = 0;
  let memory = 0;
  const watch = setInterval(() => {
    node = cpuOf(child.pid);
    memory = Math.max(memory, peakOf(child.pid));
  }, 250);
  const ended = once(child, 'exit');
  const summary = (async () => JSON.parse(Buffer.concat(await child.stdout.toArray()).toString()))();
  await pipeline(Readable.from(csvOf(state.users, to)), child.stdin);
  await ended;
  clearInterval(watch);
  const { refused, complete, rows } = await summary;
  if (!complete || refused > 0) throw new Error(`the import ended after ${rows} rows, ${refused} refused`);
  return { node, memory };
}

function* csvOf(from, to) {
  let text = 'name,email,role,active,metadata\n';
  for (let n = from; n < to; n++) {
    const { name, email, role, active, metadata } = person(n);
    text += `${name},${email},${role},${active},"${JSON.stringify(metadata).replaceAll('"', '""')}"\n`;
    if (text.length > 64 * 1024) {
      yield text;
      text = '';
    }
  }
  yield text;
}

/** The peak memory of a process, in MB. */
function peakOf(pid) {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0; // it has ended
  }
}

async function sendTo(scale, to, mode) {
  const { state, organizations, url, pid } = scale;
  const weights = organizations.reduce((sum, { weight }) => sum + weight, 0);
  const batches = [];
  let n = state.users;
  let share = 0;
  // All organizations grow together, each by its weight.
  for (const organization of organizations) {
    share += organization.weight / weights;
    const end = state.users + Math.round((to - state.users) * share);
    for (; n < end; n += PER_BATCH)
      batches.push({ organization, from: n, length: Math.min(PER_BATCH, end - n) });
    n = end;
  }
  const cpu = cpuOf(pid);
  const send = async () => {
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      const { organization, from, length } = batch;
      const users = Array.from({ length }, (_, i) => person(from + i));
      const response = await fetch(`${url}${BASE}/batch`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${organization.token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ users, mode }),
      });
      const { counts } = await response.json();
      if (counts?.failed !== 0) throw new Error(`${response.status} ${JSON.stringify(counts)}`);
    }
  };
  await Promise.all([send(), send(), send(), send()]);
  return { node: cpuOf(pid) - cpu, memory: peakOf(pid) };
}
