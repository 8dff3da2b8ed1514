/**
 * @slow it fills organizations with thousands of users
 * @only embedded postgres: it reads the plans of plain tables
 */
import type { DataSource } from 'typeorm';
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { systemCaller } from '../../src/platform/http/caller';
import { matchKeys } from '../../src/scim/users/match-keys';
import { ScimUserList } from '../../src/scim/users/scim-user-list';
import { describeOn } from '../support/engine';
import { fillOrganization } from '../support/people';
import { accessPathsOf, rowsReadBy, selectsOf } from '../support/plans';
import { startService, type TestService } from '../support/service';

const USERS = 3_000;
const OTHERS = 12_000;

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
const groupId = (n: number) => `grp_${String(n).padStart(26, '0')}`;

let service: TestService;
let dataSource: DataSource;
let organizationId: string;

/** Gives every user of an organization what a directory would. */
async function fillDirectory(organization: string): Promise<void> {
  const users: { id: string; email: string; name: string }[] = await dataSource.query(
    'SELECT id, email, name FROM users WHERE organization_id = $1',
    [organization],
  );
  const rows = users.map(({ id, email, name }, n) => {
    const keys = matchKeys({
      externalId: `ext-${n}`,
      displayName: name,
      emails: [{ value: email, type: 'work' }],
    });
    return {
      organization_id: organization,
      user_id: id,
      user_name: email,
      attributes: {},
      email,
      name,
      keys,
    };
  });
  await dataSource.query(
    'INSERT INTO scim_users SELECT * FROM json_populate_recordset(NULL::scim_users, $1::json)',
    [JSON.stringify(rows)],
  );
}

describeOn('postgres', 'a filter of SCIM', () => {
  beforeAll(async () => {
    service = await startService();
    dataSource = service.dataSource;
    for (const table of ['users', 'scim_users', 'groups', 'group_members'])
      await dataSource.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    const others = (await service.app.get(OrganizationsService).create('Others')).id;
    await fillOrganization(dataSource, others, 0, OTHERS);
    await fillDirectory(others);
    await dataSource.query('ANALYZE');
    organizationId = (await service.app.get(OrganizationsService).create('Own')).id;
    await fillOrganization(dataSource, organizationId, OTHERS, USERS);
    await fillDirectory(organizationId);
    await dataSource.query(`SELECT gin_clean_pending_list('scim_users_organization_id_keys_idx')`);
  });
  afterAll(() => service.close());

  const statementsOf = (filter: string) =>
    selectsOf(dataSource, () =>
      service.app.get(ScimUserList, { strict: false }).list(
        systemCaller(organizationId, 'service', 'test'),
        { filter, count: 10, excludedAttributes: 'groups' }, // whose empty tables have plans of their own
        'https://users.example.com/scim/v2',
      ),
    );

  const FILTERS = [
    'externalId eq "ext-7"',
    'externalId eq "ext-7" and active eq true',
    'emails.value eq "nobody@example.com"',
    'userName eq "nobody@example.com"',
    'userName eq "nobody@example.com" and externalId eq "ext-7"',
    'id eq "usr_00000000000000000000000000" and manager eq "x"',
    'meta.lastModified gt "2999-01-01T00:00:00Z"',
    'meta.created lt "2000-01-01T00:00:00Z"',
  ];

  it('goes by the same indexes whatever the statistics say, and reads few rows', async () => {
    const paths = async () => {
      const found: Record<string, string[][]> = {};
      for (const filter of FILTERS)
        found[filter] = await accessPathsOf(dataSource, await statementsOf(filter));
      return found;
    };
    const withThoseOfOthers = await paths();
    await dataSource.query('ANALYZE');
    const withFreshOnes = await paths();
    await dataSource.query(
      `DELETE FROM pg_statistic WHERE starelid IN ('users'::regclass, 'scim_users'::regclass)`,
    );
    await dataSource.query(`UPDATE pg_class SET reltuples = -1 WHERE relname IN ('users', 'scim_users')`);
    expect(withThoseOfOthers).toEqual(withFreshOnes);
    expect(await paths()).toEqual(withFreshOnes);
    for (const [filter, indexes] of Object.entries(withFreshOnes))
      expect([filter, indexes.flat().filter((path) => path.startsWith('all of'))]).toEqual([filter, []]);
    for (const filter of FILTERS)
      expect([filter, await rowsReadBy(dataSource, await statementsOf(filter))]).toEqual([
        filter,
        expect.any(Number),
      ]);
    for (const filter of FILTERS)
      expect(await rowsReadBy(dataSource, await statementsOf(filter))).toBeLessThan(50);
  });

  it('by several groups looks each of them up, and reads only the members of the smallest', async () => {
    const GROUPS = 2_000;
    await dataSource.query(
      `INSERT INTO groups (organization_id, id, display_name, display_name_key, member_count)
       SELECT $1, 'grp_' || lpad(n::text, 26, '0'), n, n, CASE n WHEN 1 THEN $3::int WHEN 2 THEN 10 ELSE 20 END
       FROM generate_series(1, $2::int) AS n`,
      [organizationId, GROUPS, USERS],
    );
    await dataSource.query(
      `INSERT INTO group_members (organization_id, group_id, user_id)
       SELECT organization_id, id, user_id FROM groups,
         LATERAL (SELECT id AS user_id FROM users WHERE organization_id = $1 ORDER BY id LIMIT member_count) AS members
       WHERE organization_id = $1 AND id <= $2`,
      [organizationId, groupId(20)],
    );
    for (const analyzed of [false, true]) {
      if (analyzed) await dataSource.query('ANALYZE');
      for (const numbers of [upTo(20), upTo(20).reverse()]) {
        const filter = numbers.map((n) => `groups.value eq "${groupId(n)}"`).join(' and ');
        expect(await rowsReadBy(dataSource, await statementsOf(filter))).toBeLessThan(400);
      }
    }
  });
});
