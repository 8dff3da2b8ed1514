/**
 * @only embedded: it uses no database
 */
import { setImmediate as turn } from 'node:timers/promises';
import { BodyRoom, type Room } from '../../src/http/input/body-room';

const STALLED = { bytesSoFar: () => 0, stop: () => {} };

let room: BodyRoom;
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  room = new BodyRoom({ one: 1, all: 2 });
});
afterEach(() => void jest.useRealTimers());

/** What becomes of a request that waits. */
function waiting(organization: string) {
  const outcome: { room?: Room; status?: number } = {};
  room.take(organization, 1, STALLED).then(
    (given) => (outcome.room = given),
    ({ status }) => (outcome.status = status),
  );
  return outcome;
}

async function pass(seconds: number) {
  jest.advanceTimersByTime(seconds * 1_000);
  await turn();
}

describe('BodyRoom', () => {
  it('refuses a request that has waited for five seconds', async () => {
    await room.take('a', 1, STALLED);
    const late = waiting('a');
    await pass(4.9);
    expect(late).toEqual({});
    await pass(0.2);
    expect(late.status).toBe(503);
  });

  it('stops a body that hardly arrives when another organization waits, but none that arrives or has arrived', async () => {
    room = new BodyRoom({ one: 2, all: 3 });
    const stopped: string[] = [];
    const bodyOf = (name: string, bytesSoFar: () => number) => ({
      bytesSoFar,
      stop: () => stopped.push(name),
    });
    (
      await room.take(
        'a',
        1,
        bodyOf('arrived', () => 1),
      )
    ).hasArrived();
    let bytes = 0;
    await room.take(
      'a',
      1,
      bodyOf('arriving', () => (bytes += 64 * 1024)),
    );
    await room.take(
      'b',
      1,
      bodyOf('stalled', () => 1),
    );
    waiting('a');
    await pass(2);
    expect(stopped).toEqual([]);
    waiting('c');
    await pass(2);
    expect(stopped).toEqual(['stalled']);
  });
});
