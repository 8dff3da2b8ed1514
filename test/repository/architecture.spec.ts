/**
 * @only embedded: it uses no database
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { forbidden } = createRequire(__filename)('../../.dependency-cruiser.cjs') as {
  forbidden: { name: string }[];
};
const document = readFileSync('docs/architecture.md', 'utf8');
const section = (title: string) => document.split(/^## /m).find((text) => text.startsWith(title))!;

const cellsOf = (text: string) =>
  [...text.matchAll(/^\| (.*) \|$/gm)].map(([, row]) => row.split(' | ').map((cell) => cell.trim()));
const foldersIn = (cell: string) => [...cell.matchAll(/`([\w/-]+)\/`/g)].map(([, folder]) => folder);

const FLOORS = ['platform', 'entry'];
/** A feature, or a folder of a floor that holds several rooms. */
const isRoom = (folder: string) => {
  const [top, ...inner] = folder.split('/');
  return FLOORS.includes(top) ? inner.length === 1 : inner.length === 0;
};

describe('docs/architecture.md', () => {
  const rooms = cellsOf(section('The rooms')).filter(([folder]) => folder.startsWith('`'));

  it('names every folder of src, and no other', () => {
    const folders = readdirSync('src', { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${entry.parentPath}/${entry.name}`.replace(/^src\//, ''));
    expect(rooms.flatMap(([folder]) => foldersIn(folder)).sort()).toEqual(folders.sort());
  });

  it('names the same rooms as the dependency rules', () => {
    const documented = rooms.flatMap(([folder]) => foldersIn(folder)).filter((folder) => isRoom(folder));
    const enforced = forbidden
      .map(({ name }) => /^room (.*)/.exec(name)?.[1])
      .filter((room) => room !== undefined);
    expect(documented.sort()).toEqual(enforced.sort());
  });

  it('shows every room of src at the beginning of a line of its picture', () => {
    const [, picture] = /```text\n([^]*?)```/.exec(document)!;
    const shown = [...picture.matchAll(/^[ │├└─]*([\w-]+)\/(?= |$)/gm)].map(([, folder]) => folder);
    const names = rooms
      .flatMap(([folder]) => foldersIn(folder))
      .filter((folder) => isRoom(folder))
      .map((folder) => folder.replace(/.*\//, ''));
    expect(shown.sort()).toEqual(names.sort());
  });

  it('names files that exist', () => {
    const named = [...document.matchAll(/`((?:[\w-]+\/)+[\w.-]+\.ts)`/g)].map(([, path]) => path);
    const inPromises = [...section('Where each promise').matchAll(/`([\w-]+\/[\w/.-]+)`/g)].map(
      ([, path]) => path,
    );
    const missing = [...named, ...inPromises].filter(
      (path) => ![path, `src/${path}`, `src/${path}.ts`].some((candidate) => existsSync(candidate)),
    );
    expect(missing).toEqual([]);
  });
});

it('gives each exported name of src one meaning', () => {
  const files = new Map<string, string[]>();
  for (const path of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts')) continue;
    const declared = readFileSync(`src/${path}`, 'utf8').matchAll(
      /^export (?:abstract |async )?(?:const|class|function\*?|interface|type) (\w+)/gm,
    );
    for (const [, name] of declared) files.set(name, [...(files.get(name) ?? []), path]);
  }
  const shared = [...files].filter(([, paths]) => new Set(paths).size > 1);
  // On the routes of a host, these decorators also run the guards.
  expect(shared.map(([name]) => name).sort()).toEqual(['AnyToken', 'Scopes']);
});

const RECIPES = [
  'a field to users',
  'a feature',
  'a table',
  'an index',
  'a route',
  'a page to the dashboard',
];

describe.each(RECIPES.map((thing) => `Add ${thing}`))('%s', (title) => {
  it('names what is in the files that it names', () => {
    const named = [...section(title).matchAll(/`(\w+)(?:\(\))?`,? in\s+`([\w/.-]+\.\w+)`/g)];
    const missing = named.filter(
      ([, name, path]) => !readFileSync(existsSync(path) ? path : `src/${path}`, 'utf8').includes(name),
    );
    expect(missing.map(([text]) => text)).toEqual([]);
  });
});

it('keeps src itself to at most eight files, and every folder below it to fifteen', () => {
  const filesIn = (folder: string) =>
    readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile()).length;
  const folders = readdirSync('src', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${entry.parentPath}/${entry.name}`);
  expect(filesIn('src')).toBeLessThanOrEqual(8);
  expect(folders.filter((folder) => filesIn(folder) > 15)).toEqual([]);
});

it.each(
  ['.', 'docs', 'client', ...readdirSync('examples').map((name) => `examples/${name}`)].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
)('has tables in %s that a terminal shows: at most 120 columns', (path) => {
  const rows = readFileSync(path, 'utf8').match(/^ *\|.*$/gm) ?? [];
  expect(rows.filter((row) => row.length > 120)).toEqual([]);
});
