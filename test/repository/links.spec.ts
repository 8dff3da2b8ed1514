import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const pages = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' }).trim().split('\n');
const proseOf = (page: string) => readFileSync(page, 'utf8').replace(/^( *)```.*\n[^]*?^\1```/gm, '');

/** The anchors that GitHub gives the headings of a page. */
const anchorsOf = (page: string) =>
  [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

it('each relative link of a page leads to a file, and to a heading of it', () => {
  const links = pages.flatMap((page) =>
    [...proseOf(page).matchAll(/\]\((?![a-z]+:)([^)\s#]*)#?([^)\s]*)\)/g)].map(([, path, anchor]) => ({
      link: `${page}: ${path}#${anchor}`,
      target: path ? join(dirname(page), path) : page,
      anchor,
    })),
  );
  expect(links.length).toBeGreaterThan(100);
  const dead = links.filter(
    ({ target, anchor }) => !existsSync(target) || (anchor && !anchorsOf(target).includes(anchor)),
  );
  expect(dead.map(({ link }) => link)).toEqual([]);
});
