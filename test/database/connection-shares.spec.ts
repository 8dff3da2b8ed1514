import { setImmediate as turn } from 'node:timers/promises';
import { ConnectionShares, type Cost } from '../../src/platform/database/connections/connection-shares';

/** Tasks that end when the test says so, in the order of their start. */
function tasksIn(shares: ConnectionShares) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (cost: Cost, organization: string, name = `${cost} ${organization}`) =>
    shares.withConnection(cost, organization, () => {
      started.push(name);
      return new Promise<void>((end) => ends.set(name, end));
    });
  const end = async (name: string) => {
    ends.get(name)!();
    await turn();
  };
  return { started, ask, end };
}

const times = (count: number, task: (n: number) => unknown) =>
  Array.from({ length: count }, (_, n) => task(n));

// What still waits at the end of a test is not refused ten seconds later.
beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
afterEach(() => void jest.useRealTimers());

describe('ConnectionShares, with ten connections', () => {
  it('gives an organization its share of a class, and another one its own', async () => {
    const { started, ask } = tasksIn(new ConnectionShares(10));
    times(20, (n) => void ask('write', 'a', `a${n}`));
    times(20, (n) => void ask('write', 'b', `b${n}`));
    await turn();
    expect(started).toEqual(['a0', 'a1', 'b0', 'b1']);
  });

  it('gives an organization at most half of the connections, over all classes', async () => {
    const { started, ask } = tasksIn(new ConnectionShares(10));
    for (const cost of ['quick', 'write', 'heavy'] as const) times(9, () => void ask(cost, 'a'));
    await turn();
    expect(started).toHaveLength(5);
  });

  it('leaves connections to quick statements, and to those without a class, whatever waits for locks or is heavy', async () => {
    const { started, ask } = tasksIn(new ConnectionShares(10));
    times(50, (n) => void ask('write', `w${n}`));
    times(50, (n) => void ask('heavy', `h${n}`));
    await turn();
    expect(started).toHaveLength(7);
    times(50, (n) => void ask('quick', `q${n}`));
    await turn();
    expect(started).toHaveLength(9);
    expect(started.slice(7)).toEqual(['quick q0', 'quick q1']);
  });

  it('refuses an organization whose queue is full with a 503, and nobody else', async () => {
    const { started, ask } = tasksIn(new ConnectionShares(10));
    times(1_002, () => void ask('heavy', 'a'));
    await expect(ask('heavy', 'a')).rejects.toMatchObject({ status: 503 });
    void ask('heavy', 'b', 'b');
    await turn();
    expect(started).toContain('b');
  });
});

describe('ConnectionShares, with ten connections to a cluster', () => {
  /** The organizations x… are on one node, the others on a second one. */
  const nodeOf = (organizationId: string) => (organizationId.startsWith('x') ? 'node 1' : 'node 2');

  it('gives the organizations of a node together the share of one', async () => {
    const { started, ask } = tasksIn(new ConnectionShares(10, nodeOf));
    for (const cost of ['write', 'quick'] as const) times(20, (n) => void ask(cost, `x${n}`));
    times(20, (n) => void ask('quick', `y${n}`, `y${n}`));
    await turn();
    const ofFirst = ['write x0', 'write x1', 'quick x0', 'quick x1', 'quick x2'];
    expect(started).toEqual([...ofFirst, 'y0', 'y1', 'y2', 'y3']);
  });
});

describe('ConnectionShares, with a single connection', () => {
  it('lets the classes take turns, too', async () => {
    const { started, ask, end } = tasksIn(new ConnectionShares(1));
    times(20, (n) => void ask('quick', 'a', `a${n}`));
    void ask('write', 'b', 'b write');
    void ask('heavy', 'b', 'b heavy');
    for (const n of [0, 1, 2, 3]) {
      await turn();
      await end(started[n]);
    }
    expect(started.slice(0, 5)).toEqual(expect.arrayContaining(['a0', 'b write', 'b heavy']));
  });
});
