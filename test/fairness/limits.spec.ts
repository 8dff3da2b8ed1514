/**
 * @only embedded: it uses no database
 */
import { readFileSync } from 'node:fs';
import { type Limit, LIMITS } from '../../src/platform/fairness/limits';

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
