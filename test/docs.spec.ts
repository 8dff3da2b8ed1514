import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = 'examples/nest-monorepo/apps/people';
const sources = ['src', 'test']
  .flatMap((folder) => readdirSync(`${FOLDER}/${folder}`).map((name) => `${FOLDER}/${folder}/${name}`))
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');

/** Indentation is not the same on a page. */
const flat = (code: string) => code.replace(/\s+/g, ' ').trim();
const blocks = [...readFileSync('docs/embedding.md', 'utf8').matchAll(/```ts\n([^`]*(?:`[^`]+`[^`]*)*)```/g)];

describe('docs/embedding.md', () => {
  it.each(blocks.map(([, code]) => [code]))('shows what the example application runs: %.40j', (code) => {
    expect(flat(sources)).toContain(flat(code));
  });

  it('has examples', () => expect(blocks).toHaveLength(4));
});
