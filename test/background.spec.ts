import { Background } from '../src/background/background';

const MINUTE = 60_000;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Starts a process with a job, and returns the number of its runs in the minutes to come. */
function runsOf(everyMs: number, isOn = true) {
  const background = new Background(isOn);
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
