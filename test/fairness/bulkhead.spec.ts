import { readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { Bulkhead, type Entry } from '../../src/platform/fairness/bulkhead';
import { EvictingBulkhead } from '../../src/platform/fairness/evicting-bulkhead';
import { type Limit, LIMITS } from '../../src/platform/fairness/limits';

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
afterEach(() => void jest.useRealTimers());

type Options = Partial<Limit> & { classes?: Record<string, Limit> };

const limitOf = (limit: Partial<Limit>): Limit => ({ of: 'places', ...limit });

/** A bulkhead whose entrants have names: the letter of the owner, and whatever tells them apart. */
function use({ classes, ...limit }: Options) {
  const bulkhead = new Bulkhead(limitOf(limit), classes);
  const inside: string[] = [];
  const refused: Record<string, unknown> = {};
  const leaves = new Map<string, () => void>();
  const enter = (name: string, entry?: Entry) =>
    bulkhead.enter(name[0], entry).then(
      (leave) => {
        inside.push(name);
        leaves.set(name, leave);
      },
      (error: { status?: number; message: string }) => (refused[name] = error.status ?? error.message),
    );
  return {
    refused,
    inside: () => inside.join(' '),
    enter: async (names: string, entry?: Entry) => {
      for (const name of names.split(' ')) void enter(name, entry);
      await turn();
    },
    leave: async (name: string) => {
      inside.splice(inside.indexOf(name), 1);
      leaves.get(name)!();
      await turn();
    },
    pass: async (ms: number) => {
      jest.advanceTimersByTime(ms);
      await turn();
    },
  };
}

describe('who is inside', () => {
  const write = { class: 'write' };
  const classes = { write: limitOf({ size: 2, share: 1 }) };
  it.each<[promise: string, limit: Options, steps: [names: string, entry?: Entry][], inside: string]>([
    ['as many as there is room for', { size: 2 }, [['a b c']], 'a b'],
    ['as many of one owner as its share', { size: 5, share: 3 }, [['a1 a2 a3 a4 b1 b2']], 'a1 a2 a3 b1 b2'],
    ['as many as their costs leave room for', { size: 5 }, [['a b c', { cost: 2 }]], 'a b'],
    ['a small one where a large one finds no room', { size: 3 }, [['a b', { cost: 2 }], ['c']], 'a c'],
    ['of an owner no more than is free', { size: 4, share: 'free' }, [['a1 a2 a3 b1 b2 c d']], 'a1 a2 b1 c'],
    ['one at a time of each owner', { share: 1 }, [['a1 a2 b1 c1 b2']], 'a1 b1 c1'],
    ['of a class no more than its limits', { size: 9, share: 2, classes }, [['a1 a2 b c', write]], 'a1 b'],
    ['of all classes no more than the limit', { size: 2, classes }, [['a b', write], ['c']], 'a b'],
    [
      'of a class without limits as many as of all',
      { share: 2, classes },
      [['a1 a2 a3', { class: 'quick' }]],
      'a1 a2',
    ],
    [
      'of a group no more than one share',
      { share: 2 },
      [
        ['a b c', { group: 'x' }],
        ['d', { group: 'y' }],
      ],
      'a b d',
    ],
  ])('%s', async (_promise, limit, steps, expected) => {
    const { enter, inside } = use(limit);
    for (const step of steps) await enter(...step);
    expect(inside()).toBe(expected);
  });
});

describe('who comes next', () => {
  it.each<[promise: string, limit: Options, names: string, leaves: string, entered: string]>([
    ['each owner in turn', { size: 1 }, 'a1 a2 a3 b1 b2 c1', 'a1 a2 b1 c1 a3', 'a2 b1 c1 a3 b2'],
    ['also an owner that holds much', { size: 3 }, 'a1 b1 c1 a2 d1 e1', 'b1 c1', 'a2 d1'],
    ['nobody whose owner has its share', { size: 3, share: 2 }, 'a1 a2 b1 a3', 'b1', ''],
    ['those of one owner in their order', { share: 1 }, 'a1 a2 a3', 'a1 a2', 'a2 a3'],
  ])('%s', async (_promise, limit, names, leaves, entered) => {
    const { enter, leave, inside } = use(limit);
    await enter(names);
    const before = inside();
    const after = () =>
      inside()
        .split(' ')
        .filter((name) => name !== '' && !before.includes(name));
    const came: string[] = [];
    for (const name of leaves.split(' ')) {
      await leave(name);
      came.push(...after().filter((one) => !came.includes(one)));
    }
    expect(came.join(' ')).toBe(entered);
  });

  it('each group in turn, and of its owners each in turn', async () => {
    const { enter, leave, inside } = use({ size: 1 });
    await enter('a1 b1 b2 c1', { group: 'x' });
    await enter('d1 e1', { group: 'y' });
    const came: string[] = [];
    while (inside()) {
      came.push(inside());
      await leave(inside());
    }
    expect(came.join(' ')).toBe('a1 b1 d1 c1 e1 b2');
  });

  it('all that there is room for again', async () => {
    const { enter, leave, inside } = use({ size: 3 });
    await enter('a', { cost: 3 });
    await enter('b c d');
    await leave('a');
    expect(inside()).toBe('b c d');
  });
});

describe('who is refused', () => {
  it('one that has waited for too long, by the limit or that of its class', async () => {
    const classes = { heavy: limitOf({ patienceMs: 20_000 }) };
    const { enter, pass, refused, leave, inside } = use({ size: 1, patienceMs: 10_000, classes });
    await enter('a b1');
    await enter('c', { class: 'heavy' });
    await pass(9_999);
    expect(refused).toEqual({});
    await enter('b2');
    await pass(1);
    expect(refused).toEqual({ b1: 503 });
    await leave('a');
    await leave('b2');
    await pass(20_000);
    expect([inside(), refused]).toEqual(['c', { b1: 503 }]);
  });

  it('one whose owner has too many that wait, in its class', async () => {
    const { enter, refused } = use({ size: 1, maxWaiting: 2 });
    await enter('a b1 b2 b3 c');
    await enter('b4', { class: 'write' });
    expect(refused).toEqual({ b3: 503 });
  });

  it('everybody at once where nobody waits', async () => {
    const { enter, refused } = use({ size: 1, whenFull: 'refuse' });
    await enter('a b');
    expect(refused).toEqual({ b: 503 });
  });

  it('one that has been aborted, for its own reason, and no longer keeps out who is behind it', async () => {
    const { enter, refused, inside } = use({ size: 3 });
    const stopping = new AbortController();
    const { signal } = stopping;
    await enter('a');
    await enter('b1', { cost: 3, signal });
    stopping.abort(new Error('stopped'));
    await enter('b2', { signal });
    await enter('b3', { cost: 2 });
    expect([refused, inside()]).toEqual([{ b1: 'stopped', b2: 'stopped' }, 'a b3']);
  });

  it('one that is large keeps out those of its owner that are behind it only until it is refused', async () => {
    const { enter, leave, inside, pass } = use({ size: 4, patienceMs: 1_000 });
    await enter('a1 b c');
    await enter('a2', { cost: 3 });
    await pass(500);
    await enter('a3', { cost: 2 });
    await leave('c');
    expect(inside()).toBe('a1 b');
    await pass(500);
    expect(inside()).toBe('a1 b a3');
  });
});

describe('run()', () => {
  it('gives the place of a task that is late to another one, once', async () => {
    const bulkhead = new Bulkhead(limitOf({ size: 1, lateAfterMs: 1_000 }));
    const ends: (() => void)[] = [];
    const start = () => void bulkhead.run('a', () => new Promise<void>((end) => ends.push(end)));
    for (let i = 0; i < 4; i++) start();
    await turn();
    for (const count of [1, 2, 3]) {
      expect(ends).toHaveLength(count);
      jest.advanceTimersByTime(1_000);
      await turn();
    }
    ends[0](); // it has left already
    await turn();
    expect(ends).toHaveLength(4);
    start();
    await turn();
    expect(ends).toHaveLength(4);
  });

  it('leaves after a task that fails', async () => {
    const bulkhead = new Bulkhead(limitOf({ size: 1 }));
    const failed = bulkhead.run('a', () => Promise.reject(new Error('no')));
    const next = bulkhead.run('b', async () => 'yes');
    await expect(failed).rejects.toThrow('no');
    await expect(next).resolves.toBe('yes');
  });
});

describe('a bulkhead that evicts', () => {
  const evicted: string[] = [];
  let bulkhead: EvictingBulkhead;
  beforeEach(() => {
    evicted.length = 0;
    bulkhead = new EvictingBulkhead({ of: 'bytes', size: 10, whenFull: 'evict' });
  });

  function add(owner: string, bytes: number, name = owner) {
    const held = { owner, bytes, size: () => held.bytes, evict: () => void evicted.push(name) };
    bulkhead.add(held);
    return held;
  }

  it('evicts the oldest of the owner that holds the most, at once', () => {
    add('b', 3);
    add('a', 2, 'first of a');
    add('a', 2, 'second of a');
    add('c', 3);
    expect(evicted).toEqual([]);
    add('d', 1);
    expect(evicted).toEqual(['first of a']);
    add('e', 5);
    expect(evicted).toEqual(['first of a', 'e']);
  });

  it('evicts nothing of an owner that holds little, however many hold as much as they can', () => {
    add('quiet', 1);
    for (let i = 0; i < 1_000; i++) add(`attacker ${i % 3}`, 2);
    expect(evicted).toHaveLength(996);
    expect(evicted).not.toContain('quiet');
  });

  it('counts what grows, and no longer what has gone', () => {
    const growing = add('a', 1);
    growing.bytes = 6;
    bulkhead.resized(growing);
    const gone = add('b', 4);
    bulkhead.delete(gone);
    bulkhead.delete(gone);
    add('c', 4);
    expect(evicted).toEqual([]);
    add('d', 1);
    expect(evicted).toEqual(['a']);
    growing.bytes = 9;
    bulkhead.resized(growing); // it has been evicted
    bulkhead.delete(growing);
    add('e', 5);
    expect(evicted).toEqual(['a']);
  });

  it('measures everything again before it evicts, because it may have shrunk', () => {
    const shrunk = add('a', 8);
    add('b', 2);
    shrunk.bytes = 1;
    add('c', 6);
    expect(evicted).toEqual([]);
    add('d', 2);
    expect(evicted).toEqual(['c']);
  });
});

describe('the limits', () => {
  const MB = 1024 * 1024;

  const amount = (value: number | undefined) => {
    if (value === undefined) return '';
    if (value < 1) return `${100 * value} %`;
    return value >= MB ? `${value / MB} MB` : String(value);
  };

  const seconds = (ms: number) => `${ms / 1000} s`;

  const OUTCOMES = {
    wait: 'waits',
    refuse: '503 at once',
    evict: 'evicts the oldest of the greediest',
    yield: 'pauses',
  };

  function outcome({ whenFull = 'wait', patienceMs, maxWaiting, lateAfterMs }: Limit): string {
    if (maxWaiting !== undefined) return `up to ${maxWaiting} wait ${seconds(patienceMs!)}, then 503`;
    if (patienceMs !== undefined) return `waits ${seconds(patienceMs)}, then 503`;
    if (lateAfterMs !== undefined) return `waits; leaves its place after ${seconds(lateAfterMs)}`;
    return OUTCOMES[whenFull];
  }

  const rowOf = (limit: Limit) => {
    const { of, size, share } = limit;
    return [of, amount(size), share === 'free' ? 'as much as is free' : amount(share), outcome(limit)];
  };

  it('docs/operations.md shows every limit as it is', () => {
    const [, text] = readFileSync('docs/operations.md', 'utf8').split('## Limits\n');
    const [, , ...rows] = text.split('\n## ')[0].match(/^\|.*\|$/gm)!;
    const cells = rows.map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    expect(cells).toEqual(Object.values(LIMITS).map(rowOf));
  });
});
