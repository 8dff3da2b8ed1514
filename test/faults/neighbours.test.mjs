// No tenant holds up another: a quiet tenant works beside each of the attacks.
//
// Always asserted: the quiet tenant is never refused and loses no connection, the attacker is told when to come back,
// and the memory of the process stays within its bound. The bounds in time are measured and asserted in the full form
// only.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Attacker } from './attacker.mjs';
import { ATTACKS, organizationIn } from './attacks/neighbours.mjs';
import { newTokens, openPlace } from './attacks/places.mjs';
import { beside, judge, timesOf } from './harness.mjs';
import { tally, unexplained } from './load.mjs';
import { startReader } from './quiet.mjs';
import { inBrief, SHORT } from './run.mjs';

const SECONDS = SHORT ? 4 : 9;
/** Long enough for V8 to optimize what the quiet tenant needs. */
const WARM_UP_MS = 1_500;
/** Enough tokens for the quiet tenant to stay below its limit in a run of a minute or two. */
const QUIET_TOKENS = 6;

const MAX_P99_MS = 500;
const MAX_TIMES_CONTROL = 10;
/** The memory limit of the deployment. */
const MAX_RSS_MB = 384;

const place = await openPlace();
const rows = [];
after(() => console.table(rows));

for (const attack of ATTACKS) test(attack.name, { timeout: 600_000 }, (t) => run(t, attack));

/** Runs the attack on a new process, whose memory no former attack has used. */
async function run(t, { organization: kind, prepare, control, send, tokens = 1 }) {
  const organization = await organizationIn(place, kind);
  const service = await place.start();
  t.after(() => place.stop(service));
  const newAttacker = async (count, seconds) => {
    const own = await newTokens(service.url, organization.admin, count);
    return new Attacker({ place, url: service.url, organization, tokens: own, seconds });
  };
  const preparing = await newAttacker(1);
  const state = await prepare?.(preparing);
  await preparing.settle();
  if (!SHORT) {
    const quiet = quietTenant(service);
    await quiet.begin();
    await sleep(WARM_UP_MS);
    await quiet.end();
  }

  const during = async (act) =>
    beside({
      attacker: await newAttacker(tokens, SECONDS),
      quiet: quietTenant(service),
      act: (a) => act(a, state),
      metrics: service.metrics,
    });
  const isHeldUp = ({ quiet: { all }, controlled }) =>
    all.p99 >= MAX_P99_MS || all.p99 >= MAX_TIMES_CONTROL * Math.max(1, controlled.all.p99);
  await judge({
    measure: async () => ({
      controlled: SHORT ? undefined : (await during(control)).quiet,
      ...(await during(send)),
    }),
    note: ({ quiet, controlled, attacker, rssMb, loopMs }) => {
      rows.push({
        attack: t.name,
        'p50/p99/max ms': `${quiet.all}`,
        control: controlled && `${controlled.all}`,
        'p99 GET/POST': `${quiet.gets.p99}/${quiet.posts.p99}`,
        refused: `${inBrief(quiet.refused)} of ${quiet.of}`,
        attacker: inBrief({ ...tally(attacker.answers), ...attacker.connections }),
        'RSS MB': rssMb,
        'loop ms': loopMs,
      });
      t.diagnostic(JSON.stringify(rows.at(-1)));
    },
    assertAlways({ quiet, attacker, rssMb }) {
      assert.deepEqual(quiet.refused, {}, 'the quiet tenant is never refused');
      assert.deepEqual(tally(unexplained(attacker.answers)), {}, 'the attacker is told when to come back');
      assert.ok(rssMb < MAX_RSS_MB, `the process takes ${rssMb} MB, less than ${MAX_RSS_MB}`);
    },
    isInTime: (measured) => !isHeldUp(measured),
    limit: 'the quiet tenant is not held up',
  });
}

/** Works from its beginning to its end, which returns the times of its answers, and what was refused or broke. */
function quietTenant({ url }) {
  let reader;
  return {
    async begin() {
      reader = await startReader(url, await newTokens(url, place.quiet.admin, QUIET_TOKENS));
    },
    async end() {
      const answers = await reader.send();
      await reader.stop();
      const timesBy = (wanted) =>
        timesOf(answers.filter(({ method }) => method === wanted).map(({ ms }) => ms));
      return {
        all: timesOf(answers.map(({ ms }) => ms)),
        gets: timesBy('GET'),
        posts: timesBy('POST'),
        of: answers.length,
        refused: tally(answers.filter(({ status }) => status !== 200 && status !== 201)),
      };
    },
  };
}
