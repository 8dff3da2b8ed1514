import { placementsOf } from '../../src/platform/database/citus/placements';
import { startService, type TestService } from '../support/service';

let service: TestService;
beforeAll(async () => (service = await startService()));
afterAll(() => service.close());

it('says of every table where it is on a cluster', async () => {
  const tables: { name: string; columns: string[] }[] = await service.dataSource.query(
    `SELECT table_name AS name, array_agg(column_name::text) AS columns
     FROM information_schema.tables JOIN information_schema.columns USING (table_schema, table_name)
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' GROUP BY 1`,
  );
  const placements = placementsOf(service.dataSource);
  expect(tables.map(({ name }) => name).sort()).toEqual(Object.keys(placements).sort());
  const others = Object.keys(placements).filter((name) => placements[name] !== 'distributed');
  expect(others.slice(0, 2)).toEqual(['organizations', 'ums_migrations']); // to which other tables refer
  expect(others.slice(2).sort()).toEqual(['event_subscribers', 'sign_in_rounds', 'token_events', 'tokens']);
  const distributed = tables.filter(({ name }) => placements[name] === 'distributed');
  expect(distributed.filter(({ columns }) => !columns.includes('organization_id'))).toEqual([]);
});
