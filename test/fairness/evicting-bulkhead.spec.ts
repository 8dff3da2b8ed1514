/**
 * @only embedded: it uses no database
 */
import { EvictingBulkhead } from '../../src/platform/fairness/evicting-bulkhead';

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
