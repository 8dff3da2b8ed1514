/**
 * @only embedded: it uses no database
 */
import fc from 'fast-check';
import { excessOf, sizeOf } from '../../src/platform/http/input/json-size';

/** Every value, and every key with quotes around it. */
const partsOf = (value: unknown): { values: unknown[]; keys: string[] } => {
  if (typeof value !== 'object' || value === null) return { values: [value], keys: [] };
  const parts = Object.values(value).map(partsOf);
  return {
    values: [value, ...parts.flatMap(({ values }) => values)],
    keys: [...(Array.isArray(value) ? [] : Object.keys(value)), ...parts.flatMap(({ keys }) => keys)],
  };
};

it('sizeOf() counts the values and the different keys of any JSON', () => {
  const space = fc.constantFrom(undefined, 1, '\t\n ');
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), space, (value, space) => {
      const { values, keys } = partsOf(value);
      expect(sizeOf(Buffer.from(JSON.stringify(value, null, space)), Infinity)).toEqual({
        values: values.length,
        keys: new Set(keys).size,
      });
    }),
    { numRuns: 1000 },
  );
});

it.each(['', '{', '"', '"\\', '[,', ']]}}', '"a', '\\"', ':::'])('ends on what is not JSON: %j', (text) => {
  expect(sizeOf(Buffer.from(text), Infinity).values).toBeLessThan(4);
});

describe('excessOf()', () => {
  const excessIn = (value: unknown) => excessOf(Buffer.from(JSON.stringify(value)));
  const withKeys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 0]));

  it('allows 70,000 values', () => {
    expect(excessIn(Array(69_999).fill({}))).toBeUndefined();
    expect(excessIn(Array(70_000).fill({}))).toBe('70000 values');
  });

  it('allows 15,000 different keys', () => {
    expect(excessIn(withKeys(15_000))).toBeUndefined();
    expect(excessIn([withKeys(15_000), withKeys(15_000)])).toBeUndefined();
    expect(excessIn([withKeys(15_000), { other: 0 }])).toBe('15000 different keys');
  });
});
