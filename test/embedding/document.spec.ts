/**
 * @only embedded: it uses no database
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The texts of all sources and tests of the example applications. */
const sources = readdirSync('examples', { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(ts|mjs)$/.test(path) && !/(^|\/)(node_modules|dist)\//.test(path))
  .map((path) => readFileSync(join('examples', path), 'utf8'))
  .join('\n');

/** Collapses white space, because the page indents code differently. */
const normalized = (code: string) => code.replace(/\s+/g, ' ').trim();
const blocks = [...readFileSync('docs/embedding.md', 'utf8').matchAll(/```ts\n([^`]*(?:`[^`]+`[^`]*)*)```/g)];

describe('docs/embedding.md', () => {
  it.each(blocks.map(([, code]) => [code]))('quotes the source of an example application: %.40j', (code) => {
    expect(normalized(sources)).toContain(normalized(code));
  });

  it('has examples', () => expect(blocks).toHaveLength(19));
});
