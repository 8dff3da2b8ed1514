/**
 * @only embedded: it uses no database
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const document = readFileSync('docs/pgbouncer.md', 'utf8');
const settingOf = (name: string) => new RegExp(`^${name} = (.*)$`, 'm').exec(document)?.[1];
const specOf = (path: string) => parse(readFileSync(`deploy/components/${path}.yaml`, 'utf8')).spec;

const { cluster, pgbouncer, instances } = specOf('cloudnativepg-pooler/pooler');
const { bootstrap, postgresql } = specOf('cloudnativepg/cluster');

it('the pooler of CloudNativePG has the settings of docs/pgbouncer.md', () => {
  const { poolMode, parameters } = pgbouncer;
  expect(poolMode).toBe(settingOf('pool_mode'));
  for (const name of ['server_login_retry', 'query_wait_timeout'])
    expect([name, parameters[name]]).toEqual([name, settingOf(name)]);
  // The operator begins the list with extra_float_digits and options.
  expect(`${parameters.ignore_startup_parameters}, options`).toBe(settingOf('ignore_startup_parameters'));
});

it('its database sets for the role what connect_query sets elsewhere', () => {
  const [, statements] = /connect_query='(.*)'/.exec(document)!;
  const { owner, postInitApplicationSQL } = bootstrap.initdb;
  expect(postInitApplicationSQL).toEqual(
    statements.split('; ').map((statement) => `ALTER ROLE ${owner} ${statement}`),
  );
});

it('its connections fit into max_connections', () => {
  expect(cluster.name).toBe('user-management-database');
  const reserved = 3 + 5; // docs/operations.md, Sizing
  expect(instances * Number(pgbouncer.parameters.default_pool_size) + reserved).toBeLessThanOrEqual(
    Number(postgresql.parameters.max_connections),
  );
});
