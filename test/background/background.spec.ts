/**
 * @only embedded: it uses no database
 */
import { Background } from '../../src/platform/background/background';

const MINUTE = 60_000;
const NO_DATABASE = undefined as never; // these jobs use none

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Starts a process with a job, and returns the number of its runs in the minutes to come. */
function runsOf(everyMs: number, isOn = true) {
  const background = new Background({ background: isOn }, NO_DATABASE);
  let runs = 0;
  background.add({ name: 'count', everyMs, run: async () => void runs++ });
  background.onApplicationBootstrap();
  return {
    after: (minutes: number) => jest.advanceTimersByTimeAsync(minutes * MINUTE).then(() => runs),
    stop: () => background.beforeApplicationShutdown(),
  };
}

it('runs a job soon after the start, then at its interval, until the shutdown', async () => {
  const job = runsOf(10 * MINUTE);
  expect(await job.after(0.5)).toBe(0);
  expect(await job.after(1)).toBe(1);
  expect(await job.after(7)).toBe(1);
  expect(await job.after(4)).toBe(2);
  await job.stop();
  expect(await job.after(60)).toBe(2);
});

it('runs a job of a shorter interval at its interval from the start', async () => {
  expect(await runsOf(MINUTE / 60).after(0.5)).toBeGreaterThan(20);
});

it('runs nothing in a process without background work', async () => {
  expect(await runsOf(MINUTE, false).after(60)).toBe(0);
});

it('runs a job within moments when asked to, also if it is in progress, and then at its interval', async () => {
  const background = new Background({ background: true }, NO_DATABASE);
  const runs: (() => void)[] = [];
  const run = () => new Promise<void>((done) => runs.push(done));
  const job = background.add({ name: 'wait', everyMs: 10 * MINUTE, run });
  background.onApplicationBootstrap();
  for (let i = 0; i < 4; i++) {
    background.trigger(job); // asked again and again, it is not put off
    await jest.advanceTimersByTimeAsync(500);
  }
  expect(runs).toHaveLength(1);
  background.trigger(job);
  await jest.advanceTimersByTimeAsync(MINUTE);
  expect(runs).toHaveLength(1);
  runs[0]();
  await jest.advanceTimersByTimeAsync(2_000);
  expect(runs).toHaveLength(2);
  runs[1]();
  await jest.advanceTimersByTimeAsync(5 * MINUTE);
  expect(runs).toHaveLength(2);
  await jest.advanceTimersByTimeAsync(7 * MINUTE);
  expect(runs).toHaveLength(3);
  runs[2]();
  await background.beforeApplicationShutdown();
  background.trigger(job);
  await jest.advanceTimersByTimeAsync(60 * MINUTE);
  expect(runs).toHaveLength(3);
});
