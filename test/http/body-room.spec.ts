/**
 * @only embedded: it uses no database
 */
import { setImmediate as turn } from 'node:timers/promises';
import { type Guest, Room } from '../../src/http/input/room';
import { UnparsedBodies } from '../../src/http/input/unparsed-bodies';

describe('Room', () => {
  let room: Room;
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    room = new Room({ one: 2, all: 4 });
  });
  afterEach(() => void jest.useRealTimers());

  const guestOf = (owner: string, size = 1, signal = new AbortController().signal): Guest => ({
    owner,
    size,
    patienceMs: 5_000,
    signal,
  });

  /** Enters, and returns what has become of that. */
  function enter(guest: Guest): { outcome?: string } {
    const state: { outcome?: string } = {};
    room.enter(guest).then(
      () => (state.outcome = 'in'),
      ({ status, message }) => (state.outcome = status ?? message),
    );
    return state;
  }

  async function outcomeOf(guest: Guest) {
    const state = enter(guest);
    await turn();
    return state.outcome;
  }

  async function pass(seconds: number) {
    jest.advanceTimersByTime(seconds * 1_000);
    await turn();
  }

  it('is limited for each owner', async () => {
    for (const outcome of ['in', 'in', undefined]) expect(await outcomeOf(guestOf('a'))).toBe(outcome);
    expect(await outcomeOf(guestOf('b'))).toBe('in');
  });

  it('keeps the last place for an owner that has none', async () => {
    for (const owner of ['a', 'a', 'b']) expect(await outcomeOf(guestOf(owner))).toBe('in');
    expect(await outcomeOf(guestOf('b'))).toBeUndefined();
    expect(await outcomeOf(guestOf('c'))).toBe('in');
    expect(await outcomeOf(guestOf('d'))).toBeUndefined();
  });

  it('goes to the owner that holds least when there is room again', async () => {
    room = new Room({ one: 4, all: 6 });
    const first = guestOf('a', 3);
    for (const guest of [first, guestOf('b', 1), guestOf('c', 1)]) await room.enter(guest);
    const [more, newcomer] = [enter(guestOf('b', 2)), enter(guestOf('d', 3))];
    room.leave(first);
    await turn();
    expect([more.outcome, newcomer.outcome]).toEqual([undefined, 'in']);
  });

  it('refuses a body that has waited for five seconds, in all rooms together', async () => {
    const other = new Room({ one: 1, all: 1 });
    const [holder, blocker, body] = [guestOf('a'), guestOf('a'), guestOf('a')];
    await other.enter(holder);
    const isIn = other.enter(body);
    await pass(3);
    other.leave(holder);
    await isIn;
    await pass(10); // it does not wait meanwhile
    for (const guest of [blocker, guestOf('a')]) await room.enter(guest);
    const late = enter(body);
    await pass(1.9);
    expect(late.outcome).toBeUndefined();
    await pass(0.2);
    expect(late.outcome).toBe(503);
    room.leave(blocker);
    expect(await outcomeOf(guestOf('a'))).toBe('in');
  });

  it('no longer waits for a body that is stopped', async () => {
    const holders = [guestOf('a'), guestOf('a')];
    for (const holder of holders) await room.enter(holder);
    const stopping = new AbortController();
    const stopped = enter(guestOf('a', 1, stopping.signal));
    const next = enter(guestOf('a'));
    stopping.abort(new Error('stopped'));
    await turn();
    expect(stopped.outcome).toBe('stopped');
    expect(await outcomeOf(guestOf('a', 1, stopping.signal))).toBe('stopped');
    room.leave(holders[0]);
    await turn();
    expect(next.outcome).toBe('in');
  });
});

describe('UnparsedBodies', () => {
  const stopped: string[] = [];
  let bodies: UnparsedBodies;
  beforeEach(() => {
    stopped.length = 0;
    bodies = new UnparsedBodies(10);
  });

  function add(owner: string, bytes: number, name = owner) {
    const body = { owner, bytes: 0, stop: () => void stopped.push(name) };
    bodies.set(body, bytes);
    return body;
  }

  it('stop the oldest of the owner that holds the most, at once', () => {
    add('b', 3);
    add('a', 2, 'first of a');
    add('a', 2, 'second of a');
    add('c', 3);
    expect(stopped).toEqual([]);
    add('d', 1);
    expect(stopped).toEqual(['first of a']);
    add('e', 5);
    expect(stopped).toEqual(['first of a', 'e']);
  });

  it('stop none of an owner that holds little, however many hold as much as they can', () => {
    add('quiet', 1);
    for (let i = 0; i < 1_000; i++) add(`attacker ${i % 3}`, 2);
    expect(stopped).toHaveLength(996);
    expect(stopped).not.toContain('quiet');
  });

  it('count a body anew when it grows, and no longer once it has gone', () => {
    const growing = add('a', 1);
    bodies.set(growing, 6);
    const gone = add('b', 4);
    bodies.delete(gone);
    bodies.delete(gone);
    add('c', 4);
    expect(stopped).toEqual([]);
    add('d', 1);
    expect(stopped).toEqual(['a']);
    bodies.delete(growing);
    add('e', 5);
    expect(stopped).toEqual(['a']);
  });
});
