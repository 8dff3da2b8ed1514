/**
 * @slow it migrates several databases
 * @only embedded postgres: it checks what migrations do to an empty database
 */
import { runMigrations } from '../../src';
import { migrations } from '../../migrations';
import { describeOn } from '../support/engine';
import { type Host, startHost } from '../support/host';

let host: Host;
beforeEach(async () => {
  host = await startHost([]);
});
afterEach(() => host.close());

/** The schemas of the extensions that the search uses. */
const schemas = (): Promise<{ extname: string; nspname: string }[]> =>
  host.dataSource.query(
    `SELECT extname, nspname FROM pg_extension JOIN pg_namespace AS schemas ON schemas.oid = extnamespace
     WHERE extname IN ('pg_trgm', 'btree_gin') ORDER BY extname`,
  );

const migrate = (schema: string) => runMigrations(host.dataSource, { schema });

describeOn('postgres', 'the extensions of the search', () => {
  it('are used where the database has them', async () => {
    await host.dataSource.query(
      `CREATE SCHEMA "their extensions"; CREATE EXTENSION pg_trgm SCHEMA "their extensions";
       CREATE EXTENSION btree_gin SCHEMA "their extensions"`,
    );
    expect(await migrate('ums')).toHaveLength(migrations.length);
  });

  it('are created where the tables in another schema find them', async () => {
    expect(await migrate('ums')).toHaveLength(migrations.length);
    expect(await migrate('other')).toHaveLength(migrations.length);
    expect(await schemas()).toEqual([
      { extname: 'btree_gin', nspname: 'public' },
      { extname: 'pg_trgm', nspname: 'public' },
    ]);
    await host.dataSource.query('DROP SCHEMA ums CASCADE');
    expect(await migrate('other')).toEqual([]);
  });

  it('are created beside the tables if there is no public schema', async () => {
    await host.dataSource.query('DROP SCHEMA public CASCADE');
    expect(await migrate('ums')).toHaveLength(migrations.length);
    expect(await migrate('other')).toHaveLength(migrations.length);
    expect((await schemas()).map(({ nspname }) => nspname)).toEqual(['ums', 'ums']);
  });
});

describeOn('postgres', 'the name of a schema', () => {
  it('may have any characters but a quotation mark and a full stop', async () => {
    const name = "Lots of, 'odd' -- \\ Zeichen: ß";
    expect(await migrate(name)).toHaveLength(migrations.length);
    expect(await migrate(name)).toEqual([]);
  });

  it('is refused if TypeORM would misread it, or PostgreSQL would cut it off', async () => {
    for (const name of ['q"x', 'a.b', '', 'x'.repeat(64), 'ß'.repeat(32)])
      await expect(migrate(name)).rejects.toThrow(`The schema ${JSON.stringify(name)} must have`);
  });
});
