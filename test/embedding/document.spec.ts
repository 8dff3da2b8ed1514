/**
 * @only embedded: it uses no database
 */
import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = 'examples/nest-monorepo/apps/people';
const sources = ['src', 'test']
  .flatMap((folder) => readdirSync(`${FOLDER}/${folder}`).map((name) => `${FOLDER}/${folder}/${name}`))
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');

/** Collapses white space, because the page indents code differently. */
const normalized = (code: string) => code.replace(/\s+/g, ' ').trim();
const blocks = [...readFileSync('docs/embedding.md', 'utf8').matchAll(/```ts\n([^`]*(?:`[^`]+`[^`]*)*)```/g)];

describe('docs/embedding.md', () => {
  it.each(blocks.map(([, code]) => [code]))('quotes the source of the example application: %.40j', (code) => {
    expect(normalized(sources)).toContain(normalized(code));
  });

  it('has examples', () => expect(blocks).toHaveLength(13));
});
