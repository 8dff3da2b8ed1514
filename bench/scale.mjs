// Fills a database with millions of users, and measures the service in it. The database stays in its folder, so each run
// continues where the previous one ended, within its time limit.
//   node bench/scale.mjs fill    --folder <path> [--users 10000000] [--organizations 1] [--minutes 60]
//   node bench/scale.mjs measure --folder <path> [--requests 300] [--statistics fresh,none]
//   node bench/scale.mjs work    --folder <path> [--minutes 30] [--callers 16]
import { parseArgs } from 'node:util';
import { openScale } from './scale/database.mjs';
import { fill } from './scale/fill.mjs';
import { measureAll } from './scale/measure.mjs';
import { work } from './scale/work.mjs';
import { stopAll } from './sides.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: 'string' },
    users: { type: 'string', default: '10000000' },
    organizations: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    requests: { type: 'string', default: '300' },
    callers: { type: 'string', default: '16' },
    statistics: { type: 'string', default: 'fresh,none' },
  },
});
const STEPS = {
  fill: (scale) => fill(scale, { users: Number(values.users), minutes: Number(values.minutes ?? 60) }),
  measure: (scale) =>
    measureAll(scale, { requests: Number(values.requests), statistics: values.statistics.split(',') }),
  work: (scale) => work(scale, { minutes: Number(values.minutes ?? 30), callers: Number(values.callers) }),
};
const step = STEPS[positionals[0]];
if (!step || !values.folder) {
  process.stderr.write('Usage: node bench/scale.mjs fill|measure|work --folder <path>\n');
  process.exit(2);
}
process.once('SIGINT', () => stopAll().then(() => process.exit(130)));
try {
  await step(await openScale(values.folder, Number(values.organizations)));
} finally {
  await stopAll();
}
