import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { getMetadataArgsStorage } from 'typeorm';
import { DocsModule } from '../../src/docs/docs.module';
import { HostSettings } from '../../src/entry/embedding/options';
import { HealthModule } from '../../src/entry/health/health.module';
import { EVENT_TARGETS, EVENT_TYPES } from '../../src/events/event/event.types';
import { FEATURES } from '../../src/service.module';

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

it('the recipes of docs/architecture.md name what is in the files that they name', () => {
  const missing = [
    'a field to users',
    'a setting',
    'a feature',
    'a table',
    'an index',
    'a route',
    'a page to the dashboard',
  ]
    .flatMap((thing) => [...section(`Add ${thing}`).matchAll(/`(\w+)(?:\(\))?`,? in\s+`([\w/.-]+\.\w+)`/g)])
    .filter(
      ([, name, path]) => !readFileSync(existsSync(path) ? path : `src/${path}`, 'utf8').includes(name),
    );
  expect(missing.map(([text]) => text)).toEqual([]);
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

it('every page has tables that a terminal shows: at most 120 columns', () => {
  const folders = ['.', 'docs', 'client', ...readdirSync('examples').map((name) => `examples/${name}`)];
  const pages = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  );
  const wide = pages.flatMap((path) =>
    (readFileSync(path, 'utf8').match(/^ *\|.*$/gm) ?? [])
      .filter((row) => row.length > 120)
      .map((row) => `${path}: ${row}`),
  );
  expect(wide).toEqual([]);
});

const described = [...FEATURES, HealthModule, DocsModule];
const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(`src/${path}`, 'utf8') }));
const prefixes = Object.assign({}, ...FEATURES.map(({ feature }) => feature.ids)) as Record<string, string>;
const entities = FEATURES.flatMap(({ feature }) => feature.entities ?? []);

/** Each fault is the line that is missing, and where. */
describe('What a feature says of itself is complete:', () => {
  it('its module', () => {
    const faults = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/export class (\w+) \{\n {2}static readonly feature/g)]
        .filter(([, name]) => !described.some((module) => module.name === name))
        .map(([, name]) => `src/service.module.ts: FEATURES lacks ${name}, of ${path}`),
    );
    expect(faults).toEqual([]);
  });

  it('its tables', async () => {
    const paths = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.entity.ts'),
    );
    const files = await Promise.all(paths.map((path): Promise<object> => import(`../../src/${path}`)));
    const exported = files.flatMap((file) => Object.values(file));
    // TypeORM knows the tables of all suites of this process, those of host applications included.
    const tables = getMetadataArgsStorage().tables.filter(
      ({ type, target }) => type === 'regular' && exported.includes(target),
    );
    const faults = tables
      .filter(({ target }) => !entities.includes(target as Function))
      .map(({ target }) => `the module of its feature: entities lacks ${(target as Function).name}`);
    expect([paths.length > 0, faults]).toEqual([true, []]);
  });

  it('what becomes of the data of users', () => {
    const stated = FEATURES.flatMap(({ feature }) =>
      feature.personal.map(({ entity }) => entity as Function),
    );
    const { columns } = getMetadataArgsStorage();
    const faults = FEATURES.flatMap((module) =>
      (module.feature.entities ?? [])
        .filter((entity) =>
          columns.some(
            ({ target, options }) =>
              (target === entity || entity.prototype instanceof (target as Function)) &&
              /(^|_)user_id$/.test(options.name ?? ''),
          ),
        )
        .filter((entity) => !stated.includes(entity))
        .map(({ name }) => `${module.name}: personal lacks { entity: ${name}, purge: …, export: … }`),
    );
    expect(faults).toEqual([]);
    expect(stated.filter((entity) => !entities.includes(entity))).toEqual([]);
  });

  it('the prefixes of its ids', () => {
    const used = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/\b(?:newId|isId|@Id)\('(\w+)'/g)].map(([, prefix]) => ({ path, prefix })),
    );
    const known = Object.values(prefixes);
    const faults = used
      .filter(({ prefix }) => !known.includes(prefix))
      .map(({ path, prefix }) => `the module of its feature: ids lacks ${prefix}, used in ${path}`);
    expect(used.length).toBeGreaterThan(0);
    expect(faults).toEqual([]);
  });

  it('the kinds of its events', () => {
    const targets: Record<string, string | undefined> = EVENT_TARGETS;
    const kinds = [...new Set(EVENT_TYPES.map((type) => type.split('.')[0]))];
    const faults = kinds.flatMap((kind) => {
      if (targets[kind] === undefined) return `src/events/event/event.types.ts: EVENT_TARGETS lacks ${kind}`;
      return targets[kind] === prefixes[kind]
        ? []
        : `the module of its feature: ids lacks ${kind}: '${targets[kind]}'`;
    });
    expect(faults).toEqual([]);
    expect(Object.keys(targets)).toEqual(kinds);
  });

  it('its options', () => {
    const injected = sources
      .filter(({ text }) => text.includes('SERVICE_OPTIONS'))
      .flatMap(({ text }) => [...text.matchAll(/: (\w+Options)\b/g)].map(([, name]) => name));
    const faults = injected
      .filter((name) => !sources.some(({ text }) => new RegExp(`\\bextends\\s[^{]*\\b${name}\\b`).test(text)))
      .map((name) => `src/service.options.ts: ServiceOptions does not extend ${name}`);
    expect(injected.length).toBeGreaterThan(5);
    expect(faults).toEqual([]);
  });

  it('its options of a host', () => {
    const document = readFileSync('docs/embedding.md', 'utf8');
    const faults = Object.keys(new HostSettings())
      .filter((name) => !document.includes(`| \`${name}\``))
      .map((name) => `docs/embedding.md: the table of options lacks ${name}`);
    expect(faults).toEqual([]);
  });
});

it('README.md lists every variable', () => {
  const readme = readFileSync('README.md', 'utf8');
  const variables = sources.flatMap(({ text }) =>
    [...text.matchAll(/@(?:\w*Setting|Variable)\('(\w+)'/g)].map(([, name]) => name),
  );
  expect(variables.length).toBeGreaterThan(20);
  expect(variables.filter((name) => !readme.includes(`\n| \`${name}\` `))).toEqual([]);
});

describe('the styles of the dashboard', () => {
  const GROUND = /^(ui|frame)$/; // what all pages share
  const roots = readdirSync('dashboard', { recursive: true, withFileTypes: true })
    .filter(({ name, parentPath }) => name.endsWith('.css') && parentPath !== 'dashboard')
    .map(({ name, parentPath }) => ({
      folder: parentPath.replace(/^dashboard\//, ''),
      text: readFileSync(`${parentPath}/${name}`, 'utf8'),
    }))
    .flatMap(({ folder, text }) =>
      [...text.matchAll(/^\s*\.([\w-]+)(?:[\s.:>][^{]*)?(?:\{|,$)/gm)].map(([, name]) => ({ folder, name })),
    );

  it('give a class to one page, because all of them are one file', () => {
    const foldersOf = new Map<string, Set<string>>();
    for (const { folder, name } of roots) foldersOf.set(name, (foldersOf.get(name) ?? new Set()).add(folder));
    const faults = [...foldersOf]
      .filter(([, folders]) => folders.size > 1 && ![...folders].some((folder) => GROUND.test(folder)))
      .map(([name, folders]) => `.${name} is of ${[...folders].sort().join(' and ')}`);
    expect(roots.length).toBeGreaterThan(100);
    expect(faults).toEqual([]);
  });
});
