/**
 * @only embedded: it uses no database
 */
import fc from 'fast-check';
import { countValues } from '../../src/http/input/json-values';

const valuesIn = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, child) => sum + valuesIn(child), 1)
    : 1;

it('countValues() counts the values of any JSON in its bytes', () => {
  const space = fc.constantFrom(undefined, 1, '\t\n ');
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), space, (value, space) => {
      expect(countValues(Buffer.from(JSON.stringify(value, null, space)))).toBe(valuesIn(value));
    }),
    { numRuns: 1000 },
  );
});

it.each(['', '{', '"', '"\\', '[,', ']]}}', '"a', '\\"'])('ends on what is not JSON: %j', (text) => {
  expect(countValues(Buffer.from(text))).toBeLessThan(4);
});
