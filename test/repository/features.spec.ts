/**
 * @only embedded: it uses no database
 */
import { readdirSync, readFileSync } from 'node:fs';
import { getMetadataArgsStorage } from 'typeorm';
import { DocsModule } from '../../src/docs/docs.module';
import { HostSettings } from '../../src/entry/embedding/options';
import { HealthModule } from '../../src/entry/health/health.module';
import { EVENT_TARGETS, EVENT_TYPES } from '../../src/events/event/event.types';
import { FEATURES } from '../../src/service.module';

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

  it('its tables', () => {
    const faults = getMetadataArgsStorage()
      .tables.filter(({ type, target }) => type === 'regular' && !entities.includes(target as Function))
      .map(({ target }) => `the module of its feature: entities lacks ${(target as Function).name}`);
    expect(faults).toEqual([]);
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
