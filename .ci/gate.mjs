// Runs the steps of the gate one after the other, each with all cores, and ends with a table: what ran, what it cost,
// and what was left out, why, and since which full run. Nothing that `npm ci` installs is loaded before it has run.
import { changesSinceFullRun, recordFullRun } from './full-run.mjs';
import { useMemory } from './memory.mjs';
import { printReport } from './report.mjs';
import { stepsOf } from './rooms.mjs';
import { runStep } from './run-step.mjs';
import { INSTALL, STEPS } from './steps.mjs';

const isFull = process.argv.includes('--full');
const brief = (names) =>
  names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
const say = (line) => process.stdout.write(`${line}\n`);

const { paths, since, why } = isFull ? { why: 'this is a full run' } : changesSinceFullRun();
const due = paths && stepsOf(paths);
say(
  paths ? `${paths.length} files have changed since the full run on ${since}.` : `Every step runs: ${why}.`,
);
for (const [step, files] of due ?? []) say(`  ${step} runs because of ${brief([...files])}`);

useMemory();
const rows = [];
const leftOut = [];

/** Runs a step unless an earlier one has failed. A full run goes on then, to show everything that fails. */
async function run(step) {
  const failed = rows.find(({ name, hasPassed }) => !hasPassed && (!isFull || name === INSTALL.name));
  if (failed) return void leftOut.push(`${step.name}: ${failed.name} failed`);
  say(`\n== ${step.name}: ${step.title}`);
  const row = await runStep({ ...step, commands: (isFull && step.fullCommands) || step.commands });
  rows.push({ name: step.name, ...row });
  for (const reason of row.leftOut) leftOut.push(`${step.name}: ${reason}`);
  if (!row.hasPassed) say(`${step.name} FAILED`);
}

await run(INSTALL);
for (const step of STEPS) {
  if (step.needsCitus && process.env.WITHOUT_CITUS === '1') leftOut.push(`${step.name}: WITHOUT_CITUS is 1`);
  else if (!step.always && due && !due.has(step.name))
    leftOut.push(`${step.name}: nothing that it tests has changed since the full run on ${since}`);
  else await run(step);
}
printReport(rows, leftOut);
const hasPassed = rows.every((row) => row.hasPassed);
if (hasPassed && isFull) say(recordFullRun());
process.exitCode = hasPassed ? 0 : 1;
