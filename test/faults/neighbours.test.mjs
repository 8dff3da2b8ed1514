// No tenant holds up another: a quiet tenant works beside each of the attacks in neighbours/.
//
// Always asserted: the quiet tenant is never refused and loses no connection, the attacker is told when to come back,
// the memory of the process stays within its bound, and no connection of the attacker stays open. The bounds in time
// are measured and asserted in the full form only, and fail only twice in a row, each time beside a control of its own:
// the machine may be busy.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { stop } from './cluster.mjs';
import { tally } from './load.mjs';
import { Attacker } from './neighbours/attacker.mjs';
import { ATTACKS } from './neighbours/attacks.mjs';
import { organizationIn } from './neighbours/organizations.mjs';
import { embeddedPlace, newTokens, postgresPlace } from './neighbours/places.mjs';
import { figuresOf, run, startQuietTenant, unexplained } from './neighbours/run.mjs';
import { SHORT } from './scene.mjs';

const SECONDS = SHORT ? 4 : 9;
/** Long enough for V8 to optimize what the quiet tenant needs. */
const WARM_UP_MS = 1_500;

const MAX_P99_MS = 500;
const MAX_TIMES_CONTROL = 10;
/** The memory limit of the deployment, which has no embedded database. */
const MAX_RSS_MB = 384;

const rows = [];
const places = new Map();
after(async () => {
  for (const place of places.values()) await (await place).stop();
  console.table(rows);
});

for (const [database, open] of Object.entries({ PostgreSQL: postgresPlace, embedded: embeddedPlace })) {
  const attacks = Object.entries(ATTACKS).filter(([, { embedded }]) => database === 'PostgreSQL' || embedded);
  for (const [name, attack] of attacks) {
    test(`${name}${database === 'embedded' ? ', embedded' : ''}`, { timeout: 600_000 }, async (t) => {
      if (!places.has(database)) places.set(database, open());
      await judge(t, await places.get(database), attack);
    });
  }
}

/** Runs the attack on a new process, whose memory no former attack has used. */
async function judge(t, place, { organization: kind, prepare = () => {}, control, attack, tokens = 1 }) {
  const organization = await organizationIn(place, kind);
  const service = await place.start();
  t.after(() => stop([service]));
  const attacker = new Attacker(
    place,
    service,
    organization,
    await newTokens(service.url, organization.admin, 1),
  );
  const state = await prepare(attacker);
  await attacker.settle();
  if (!SHORT) await warmUp(place, service);

  const measure = async () => {
    const beside = (act) =>
      run(place, service, organization, { tokens, seconds: SECONDS, attack: (a) => act(a, state) });
    const controlled = SHORT ? undefined : figuresOf((await beside(control)).quiet);
    const attacked = await beside(attack);
    return { controlled, ...attacked, figures: figuresOf(attacked.quiet) };
  };
  const isSlow = ({ figures, controlled }) =>
    figures.p99 >= MAX_P99_MS || figures.p99 >= MAX_TIMES_CONTROL * Math.max(1, controlled.p99);

  const measured = [await measure()];
  if (!SHORT && isSlow(measured[0])) measured.push(await measure());
  for (const each of measured) note(t, each);

  for (const { figures, attacker: a, rssMb } of measured) {
    assert.deepEqual(figures.refused, {}, 'the quiet tenant is never refused');
    assert.deepEqual(tally(unexplained(a.answers)), {}, 'the attacker is told when to come back');
    assert.ok(
      !place.database || rssMb < MAX_RSS_MB,
      `the process takes ${rssMb} MB, less than ${MAX_RSS_MB}`,
    );
    assert.ok(!a.connections.open, 'no connection of the attacker stays open');
  }
  assert.ok(SHORT || !measured.every(isSlow), 'the quiet tenant is not held up');
}

async function warmUp(place, service) {
  const quiet = await startQuietTenant(place, service);
  await sleep(WARM_UP_MS);
  await quiet.stop();
}

const brief = (counts) =>
  Object.entries(counts)
    .map(([name, count]) => `${name}×${count}`)
    .join(' ');

/** Adds a row to the table. */
function note(t, { figures, controlled, attacker, rssMb, loopMs }) {
  const times = ({ p50, p99, max }) => `${p50}/${p99}/${max}`;
  const row = {
    attack: t.name,
    'p50/p99/max ms': times(figures),
    control: controlled && times(controlled),
    'p99 GET/POST': `${figures.p99OfGets}/${figures.p99OfPosts}`,
    refused: `${brief(figures.refused) || 0} of ${figures.of}`,
    attacker: brief({ ...tally(attacker.answers), ...attacker.connections }),
    'RSS MB': rssMb,
    'loop ms': loopMs,
  };
  rows.push(row);
  t.diagnostic(JSON.stringify(row));
}
