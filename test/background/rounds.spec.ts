import { Logger } from '@nestjs/common';
import { Background } from '../../src/platform/background/background';
import { sql } from '../../src/platform/database/sql';
import { useService } from '../support/service';
import { until } from '../support/until';

const service = useService();

/** Goes over organizations, each of which has so many parts; `work` may take long or fail. */
function goOver(parts: Record<string, number>, work: (id: string) => unknown = () => {}) {
  const left = { ...parts };
  const order: string[] = [];
  let looks = 0;
  const task = {
    name: 'test',
    organizations: (after: string, limit: number) => {
      looks++;
      const ids = Object.keys(left).filter((id) => left[id] > 0);
      return sql`SELECT id FROM unnest(${ids}::text[]) AS id WHERE id > ${after} ORDER BY id LIMIT ${limit}`;
    },
    part: async (id: string) => {
      await work(id);
      order.push(id);
      return --left[id] > 0;
    },
  };
  const background = service.app.get(Background, { strict: false });
  return {
    left,
    order,
    looks: () => looks,
    done: background.forEachOrganization(task, new AbortController().signal),
  };
}

it('what one organization has left comes after the others', async () => {
  const { order, done } = goOver({ a: 3, b: 1, c: 2 });
  await done;
  expect(order).toEqual(['a', 'b', 'c', 'a', 'c', 'a']);
});

it('what takes long neither slows down what others have left, nor hides those that come later', async () => {
  let finish!: () => void;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const { left, order, looks, done } = goOver({ a: 1, b: 100 }, (id) => (id === 'a' ? finished : undefined));
  await until(() => order.length >= 100);
  expect([looks(), order.includes('a')]).toEqual([1, false]);
  left.c = 1;
  await until(() => order.includes('c'));
  finish();
  await done;
  expect(order.at(-1)).toBe('a');
});

it('an organization that fails is logged, tried once in a run, and holds up no other one', async () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  try {
    let attempts = 0;
    const { order, done } = goOver({ a: 2, b: 20 }, (id) => {
      if (id !== 'a') return;
      attempts++;
      throw new Error('no');
    });
    await done;
    expect([order.length, attempts]).toEqual([20, 1]);
    expect(warn).toHaveBeenCalledWith(
      expect.objectContaining({ message: expect.stringContaining('cannot test of an'), organizationId: 'a' }),
    );
  } finally {
    warn.mockRestore();
  }
});
