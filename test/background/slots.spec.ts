/**
 * @only embedded: it uses no database
 */
import { Slots } from '../../src/background/slots';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const settle = () => jest.advanceTimersByTimeAsync(0);

/** Runs tasks that end when they are told to. */
function useSlots(slots: Slots) {
  const running: { owner: string; end: () => void }[] = [];
  return {
    start: (owner: string, count = 1) => {
      for (let i = 0; i < count; i++)
        void slots.run(owner, () => new Promise<void>((end) => running.push({ owner, end })));
    },
    end: (owner: string) => {
      const at = running.findIndex((one) => one.owner === owner);
      running.splice(at, 1)[0].end();
      return settle();
    },
    owners: () => running.map(({ owner }) => owner).join(''),
  };
}

it('lets so many run at once, and so many of one owner', async () => {
  const { start, end, owners } = useSlots(new Slots(5, 3));
  start('a', 4);
  start('b', 4);
  await settle();
  expect(owners()).toBe('aaabb');
  await end('a'); // both have two, and a has waited longer
  expect(owners()).toBe('aabba');
  await end('b');
  expect(owners()).toBe('aabab');
});

it('begins with the owner who has the fewest, whoever waits the longest', async () => {
  const { start, end, owners } = useSlots(new Slots(3, 3));
  start('a', 6);
  start('b');
  await settle();
  await end('a');
  expect(owners()).toBe('aab');
  start('c');
  start('b');
  await end('a');
  expect(owners()).toBe('abc');
});

it('gives the slot of a task that is late to another one, once', async () => {
  const { start, end, owners } = useSlots(new Slots(2, 1, 1_000));
  start('a', 2);
  start('b');
  start('c');
  await jest.advanceTimersByTimeAsync(999);
  expect(owners()).toBe('ab');
  await jest.advanceTimersByTimeAsync(1);
  expect(owners()).toBe('abac');
  await end('a');
  await end('b');
  start('d');
  await settle();
  expect(owners()).toBe('ac');
});

it('goes on after a task that fails', async () => {
  const slots = new Slots(1, 1);
  const failed = slots.run('a', () => Promise.reject(new Error('no')));
  const next = slots.run('b', async () => 'yes');
  await expect(failed).rejects.toThrow('no');
  await expect(next).resolves.toBe('yes');
});
