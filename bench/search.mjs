// Times the search over HTTP, one request at a time: with statistics that know only another organization, with fresh ones and
// without any. Then its slow end, deep pages, eight callers at once, and ILIKE on the same data.
//   node bench/search.mjs [--users 1000000] [--organizations 1] [--terms 500] [--seed 4711]
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { quantile } from './compare.mjs';
import { BASE, openSides, progress, service, stopAll } from './sides.mjs';
import { draw } from './terms.mjs';

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '1000000' },
    organizations: { type: 'string', default: '1' },
    terms: { type: 'string', default: '500' },
    seed: { type: 'string', default: '4711' },
  },
});
const [users, organizations, terms, seed] = [
  values.users,
  values.organizations,
  values.terms,
  values.seed,
].map(Number);
const CALLERS = 8;
const ILIKE_TERMS = 10;
const SLOW_MS = 50;
const say = (...cells) => process.stdout.write(`| ${cells.join(' | ')} |\n`);

try {
  const [side] = await openSides([service], { organizations, users, statistics: 'stale' });
  process.stdout.write(
    `${users} users in ${organizations} organizations, ${terms} terms of each kind, seed ${seed}, ` +
      `Node ${process.versions.node}, ${cpus()[0].model.trim()} × ${cpus().length}\n\n`,
  );
  await compareStatistics(side);
  await measureTerms(side);
} finally {
  await stopAll();
}

async function compareStatistics(side) {
  const tables = `'users'::regclass, 'user_search'::regclass, 'search_words'::regclass`;
  const states = {
    'of another organization': () => side.client.query('VACUUM'),
    fresh: () => side.client.query('VACUUM ANALYZE'),
    none: () =>
      side.client.query(`
        DELETE FROM pg_statistic WHERE starelid IN (${tables});
        UPDATE pg_class SET reltuples = -1 WHERE oid IN (${tables})`),
  };
  const medians = new Map();
  for (const prepare of Object.values(states)) {
    await prepare();
    for (const [kind, drawn] of termsOf(side, Math.max(20, terms / 10))) {
      const found = await searchAll(side, drawn);
      medians.set(kind, [...(medians.get(kind) ?? []), at(timesOf(found), 0.5)]);
    }
    progress('statistics compared');
  }
  say('p50 ms, by statistics', ...Object.keys(states));
  say('---', ...Object.keys(states).map(() => '---'));
  for (const [kind, list] of medians) say(kind, ...list);
  process.stdout.write('\n');
  await side.client.query('VACUUM ANALYZE');
}

async function measureTerms(side) {
  say('terms', 'p50 ms', 'p99 ms', 'max ms', 'page 100 p99', `${CALLERS} callers p99`, 'failed', 'ILIKE p50');
  say(...Array.from({ length: 8 }, () => '---'));
  for (const [kind, drawn] of termsOf(side, terms)) {
    const found = await searchAll(side, drawn);
    const deep = [];
    for (const one of found.filter((_, i) => i % Math.ceil(terms / 20) === 0)) {
      let { cursor } = one;
      for (let page = 2; cursor && page < 100; page++) ({ cursor } = await search(side, one, cursor));
      if (cursor) deep.push((await search(side, one, cursor)).ms);
    }
    const queue = [...drawn];
    const callers = Array.from({ length: CALLERS }, async () => {
      const own = [];
      for (let one = queue.pop(); one; one = queue.pop()) own.push(await search(side, one));
      return own;
    });
    const together = (await Promise.all(callers)).flat();
    const ilike = [];
    for (const { organization, q } of drawn.slice(0, ILIKE_TERMS)) {
      const started = performance.now();
      await side.client.query(
        `SELECT id, name, email, role, metadata, created_at, updated_at FROM users WHERE organization_id = $1
         AND (name ILIKE $2 OR email ILIKE $2 OR metadata::text ILIKE $2) ORDER BY name, id LIMIT 20`,
        [organization.id, `%${q.replace(/[\\%_]/g, '\\$&')}%`],
      );
      ilike.push(performance.now() - started);
    }
    const times = timesOf(found);
    const failed = [...found, ...together].filter(({ status }) => status !== 200).length;
    const quantiles = [at(times, 0.5), at(times, 0.99), at(times, 1), at(deep, 0.99)];
    say(kind, ...quantiles, at(timesOf(together), 0.99), failed, at(ilike, 0.5));
    const slow = found.filter(({ ms }) => ms > SLOW_MS).sort((a, b) => b.ms - a.ms);
    if (slow.length > 0)
      progress(
        `slow: ${slow
          .slice(0, 8)
          .map(({ q, ms }) => `${q} ${Math.round(ms)}`)
          .join(', ')}`,
      );
  }
}

async function searchAll(side, drawn) {
  const found = [];
  for (const one of drawn) found.push(await search(side, one));
  return found;
}

async function search({ url }, { organization, q }, cursor) {
  const started = performance.now();
  const parameters = new URLSearchParams({ q, limit: '20', ...(cursor && { cursor }) });
  const response = await fetch(`${url}${BASE}/search?${parameters}`, {
    headers: { Authorization: `Bearer ${organization.token}` },
  });
  const { nextCursor } = await response.json();
  return { organization, q, cursor: nextCursor, ms: performance.now() - started, status: response.status };
}

const termsOf = ({ organizations: tenants }, count) => draw({ organizations: tenants, users, seed }, count);

function timesOf(found) {
  return found.map(({ ms }) => ms);
}

/** The quantile `part` of the times, to a tenth. */
function at(times, part) {
  if (times.length === 0) return '–';
  return quantile(
    [...times].sort((a, b) => a - b),
    part,
  ).toFixed(1);
}
