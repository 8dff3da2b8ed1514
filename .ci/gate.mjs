// Runs the steps of the gate one after the other, each with all cores, and ends with a table: what ran, what it cost,
// and what was left out, why, and since which full run. Nothing that `npm ci` installs is loaded before it has run.
//
//     --full [step …]   every step, or the named ones, and records what has passed
import { changedSince, passedSteps, recordFullRun } from './full-run.mjs';
import { useMemory } from './memory.mjs';
import { printReport } from './report.mjs';
import { filesFor } from './rooms.mjs';
import { runStep } from './run-step.mjs';
import { INSTALL, STEPS } from './steps.mjs';

const [mode, ...named] = process.argv.slice(2);
const isFull = mode === '--full';
const strange = named.filter((name) => !STEPS.some((step) => step.name === name));
if (strange.length > 0) throw new Error(`There is no step ${strange.join(', ')}.`);

const say = (line) => process.stdout.write(`${line}\n`);
const brief = (names) => {
  const more = names.length - 3;
  return more > 0 ? `${names.slice(0, 3).join(', ')} and ${more} more` : names.join(', ');
};

const rows = [];
const leftOut = [];

/** Why a step is left out; undefined if it is due. Says why one of the rooms is due. */
function reasonToLeaveOut({ name, always, needsCitus }) {
  if (needsCitus && process.env.WITHOUT_CITUS === '1') return 'WITHOUT_CITUS is 1';
  if (named.length > 0) return named.includes(name) ? undefined : 'another step was asked for';
  if (isFull || always) return undefined;
  const { commit, day } = passedSteps().get(name) ?? {};
  const changed = commit && changedSince(commit);
  const files = changed && filesFor(name, changed);
  if (files?.length === 0)
    return `nothing that it tests has changed since the full run on ${commit.slice(0, 10)} of ${day}`;
  say(
    files
      ? `\n${name} runs because of ${brief(files)}.`
      : `\n${name} runs because ${commit ? `git does not know ${commit}, the commit of its` : 'there was no'} full run.`,
  );
  return undefined;
}

/** Runs a step, unless an earlier one has failed. A full run goes on then, to show everything that fails. */
async function run(step) {
  const failed = rows.find(({ name, hasPassed }) => !hasPassed && (!isFull || name === INSTALL.name));
  if (failed) return void leftOut.push(`${step.name}: ${failed.name} failed`);
  say(`\n== ${step.name}: ${step.title}`);
  const row = await runStep({ ...step, commands: (isFull && step.fullCommands) || step.commands });
  rows.push({ name: step.name, ...row });
  for (const reason of row.leftOut) leftOut.push(`${step.name}: ${reason}`);
  if (!row.hasPassed) say(`${step.name} FAILED`);
}

useMemory();
await run(INSTALL);
for (const step of STEPS) {
  const reason = reasonToLeaveOut(step);
  if (reason) leftOut.push(`${step.name}: ${reason}`);
  else await run(step);
}
printReport(rows, leftOut);
const passed = rows.filter(({ name, hasPassed }) => hasPassed && name !== INSTALL.name);
if (isFull && passed.length > 0) say(recordFullRun(passed.map(({ name }) => name)));
process.exitCode = rows.every((row) => row.hasPassed) ? 0 : 1;
