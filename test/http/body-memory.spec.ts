/**
 * @only embedded: it uses no database
 */
import { setImmediate as turn } from 'node:timers/promises';
import { BodyMemory, type Reservation } from '../../src/http/input/body-memory';

const ignore = () => {};

let memory: BodyMemory;
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  memory = new BodyMemory({ one: 1, all: 2 });
});
afterEach(() => void jest.useRealTimers());

/** What becomes of a request that waits. */
function waiting(organization: string) {
  const outcome: { reservation?: Reservation; status?: number } = {};
  memory.reserve(organization, 1, ignore).then(
    (given) => (outcome.reservation = given),
    ({ status }) => (outcome.status = status),
  );
  return outcome;
}

async function pass(seconds: number) {
  jest.advanceTimersByTime(seconds * 1_000);
  await turn();
}

describe('BodyMemory', () => {
  it('refuses a request that has waited for five seconds', async () => {
    await memory.reserve('a', 1, ignore);
    const late = waiting('a');
    await pass(4.9);
    expect(late).toEqual({});
    await pass(0.2);
    expect(late.status).toBe(503);
  });

  describe('stops a body', () => {
    const stopped: string[] = [];
    beforeEach(() => {
      memory = new BodyMemory({ one: 2, all: 3 });
      stopped.length = 0;
    });
    const reserve = (organization: string, name: string) =>
      memory.reserve(organization, 1, () => stopped.push(name));

    it('for another organization that has waited, unless the body has arrived', async () => {
      for (const name of ['one', 'two']) (await reserve('a', name)).hasArrived();
      await reserve('b', 'slow');
      waiting('a');
      await pass(2);
      expect(stopped).toEqual([]);
      waiting('c');
      await pass(2);
      expect(stopped).toEqual(['slow']);
    });

    it('of another organization alone', async () => {
      await reserve('a', 'own');
      for (const organization of ['b', 'c']) (await reserve(organization, 'arrived')).hasArrived();
      waiting('a');
      await pass(4);
      expect(stopped).toEqual([]);
    });

    it('once for each place that is missing, however many wait', async () => {
      const slow = await reserve('a', 'slow');
      for (const name of ['slower', 'slowest']) await reserve('b', name);
      for (let i = 0; i < 32; i++) waiting('c');
      await pass(2);
      expect(stopped).toEqual(['slow']);
      slow.release();
      await turn();
      await pass(2);
      expect(stopped).toEqual(['slow', 'slower']);
      await pass(0.9);
      expect(stopped).toEqual(['slow', 'slower']);
    });

    it('that began to arrive before the other one waited', async () => {
      for (const organization of ['a', 'b']) (await reserve(organization, 'arrived')).hasArrived();
      const quick = await reserve('c', 'quick');
      waiting('a');
      await pass(1);
      void reserve('d', 'later'); // precedes that of a, which holds more
      quick.release();
      await turn();
      await pass(1);
      expect(stopped).toEqual([]);
    });
  });
});
