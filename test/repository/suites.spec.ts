import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(__filename);
const { reasonToLeaveOut } = require('../support/run/head-comment.cjs') as {
  reasonToLeaveOut(path: string, engine: string): string | undefined;
};
const { covers } = require('../support/run/cover.cjs') as { covers(): Record<string, string[]> };
const ENGINES = ['embedded', 'postgres', 'citus'];
const suites = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.spec.ts'))
  .map((name) => ({ name, text: readFileSync(`test/${name}`, 'utf8') }));
const enginesOf = (name: string) =>
  ENGINES.filter((engine) => reasonToLeaveOut(`test/${name}`, engine) === undefined);

describe('every suite', () => {
  it('says what it leaves out in the comment that it begins with, with the reason', () => {
    const tags =
      /^\/\*\*\n( \* @slow \w.*\n)?( \* @only (embedded|postgres|citus)( postgres| citus)*: \w.*\n)?( \* @jest-environment node\n)? \*\/\n/;
    const hasTag = (text: string) => /^\/\*\*(?:(?!\*\/)[^])*@/.test(text) || / \* @(slow|only)\b/.test(text);
    const wrong = suites.filter(({ text }) => hasTag(text) && !tags.test(text));
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it('is run by an engine', () => {
    expect(suites.filter(({ name }) => enginesOf(name).length === 0).map(({ name }) => name)).toEqual([]);
  });

  it('is run by each engine that its tests are for', () => {
    const lost = suites.flatMap(({ name, text }) =>
      [...text.matchAll(/describeOn\('(\w+)'/g)]
        .filter(([, engine]) => !enginesOf(name).includes(engine))
        .map(([call]) => `${name}: ${call}`),
    );
    expect(lost).toEqual([]);
  });

  it('of the cover of an engine can be run by it', () => {
    for (const [engine, cover] of Object.entries(covers()))
      expect(cover.filter((path) => !enginesOf(path.replace('test/', '')).includes(engine))).toEqual([]);
  });
});
