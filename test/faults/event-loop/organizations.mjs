// Two organizations: one whose pages are as heavy as pages can be, and one with very many users.
import { createRequire } from 'node:module';
import { makeTokens } from '../cluster.mjs';
import { FULL, list, longName, person } from './bodies.mjs';

const require = createRequire(import.meta.url);
const { newId } = require('../../../dist/src/platform/database/id.js');

const PAGE = 200;
const GROUPS = 1_000;
const USERS = 100_000;
const DELIVERIES = 10_000;

/** What a directory may give of a user, with as many elements as it may. */
const ATTRIBUTES = JSON.stringify({
  phoneNumbers: list(200, () => ({ value: '1', type: 'work' })),
  addresses: list(200, () => ({ locality: 'a' })),
  roles: list(200, () => ({ value: 'a' })),
  entitlements: list(200, () => ({ value: 'a' })),
});

/** As long as it may be. */
const groupName = (n) => `${n}`.padStart(30, '-') + longName(226);

const ids = (prefix, count) => list(count, () => newId(prefix));
const insertUsers = `
  INSERT INTO users (organization_id, id, name, name_key, email, email_key, role, metadata)
  SELECT $1, id, 'User', 'user', format('many-%s@example.com', n), format('many-%s@example.com', n), 'member', '{}'
  FROM unnest($2::text[]) WITH ORDINALITY AS t (id, n)`;
const insertGroups = `
  INSERT INTO groups (organization_id, id, display_name, display_name_key, external_id, member_count)
  SELECT $1, id, name, name, repeat('😀', 512), $4 FROM unnest($2::text[], $3::text[]) AS t (id, name)`;
const insertMembers = `
  INSERT INTO group_members (organization_id, group_id, user_id)
  SELECT $1, groups.id, members.id FROM unnest($2::text[]) AS groups (id) CROSS JOIN unnest($3::text[]) AS members (id)`;

/** The organization of the admin token: every page of it is as heavy as it can be. */
export async function heavyOrganization(send, query) {
  const [{ id: organization }] = await query('SELECT id FROM organizations');
  const users = [];
  for (let n = 0; n < PAGE; n += 40) {
    const { results } = await send('POST', '/api/v1/users/batch', {
      users: list(40, () => person({ metadata: FULL })),
    });
    users.push(...results.map(({ id }) => id));
  }
  const groups = ids('grp', GROUPS);
  await query(insertGroups, [organization, groups, list(GROUPS, groupName), PAGE]);
  await query(insertMembers, [organization, groups, users]);
  await query(
    `INSERT INTO scim_users (organization_id, user_id, user_name, attributes, email, name, keys)
     SELECT organization_id, id, email, $2, email, name, '{}' FROM users WHERE organization_id = $1`,
    [organization, ATTRIBUTES],
  );
  const user = JSON.stringify({ ...person({ metadata: FULL }), id: users[0] });
  const events = ids('evt', PAGE);
  await query(
    `INSERT INTO events (organization_id, id, type, source, actor_name, target_id, data)
     SELECT $1, id, 'user.updated', 'api', 'Test', $3, $4 FROM unnest($2::text[]) AS t (id)`,
    [organization, events, users[0], `{"user":${user},"previous":${user}}`],
  );
  await query(
    `INSERT INTO deleted_users (organization_id, id, version, email_key, fields)
     SELECT $1, id, 1, id, $3 FROM unnest($2::text[]) AS t (id)`,
    [
      organization,
      ids('usr', PAGE),
      JSON.stringify({
        ...person({ metadata: FULL }),
        role: 'member',
        active: true,
        createdAt: '2026-01-31T09:30:00.000Z',
        updatedAt: '2026-01-31T09:30:00.000Z',
      }),
    ],
  );
  await makeTokens(query, PAGE, ['users:read', 'users:write', 'users:delete', 'admin']);
  await query('UPDATE tokens SET name = $1 WHERE name = $2', [longName(100), 'Load']);
  const { id: webhook } = await send('POST', '/api/v1/webhooks', {
    url: `https://example.com/${'x'.repeat(2_000)}`,
    types: ['*'],
    description: longName(200),
    enabled: false,
  });
  await query(
    `INSERT INTO webhook_deliveries (organization_id, id, webhook_id, event_id, type, is_beside, state)
     SELECT $1, id, $3, $4, 'user.updated', false, 'delivered' FROM unnest($2::text[]) AS t (id)`,
    [organization, ids('dlv', DELIVERIES), webhook, events[0]],
  );
  const emails = await query('SELECT email FROM users WHERE organization_id = $1', [organization]);
  return { organization, users, emails: emails.map(({ email }) => email), groups, events, webhook };
}

/** As many as a page has. */
export const manyOrganizations = (query) =>
  query(
    'INSERT INTO organizations (id, name, external_id) SELECT id, $2, id FROM unnest($1::text[]) AS t (id)',
    [ids('org', PAGE), longName(100)],
  );

/** An organization whose users are as long as they can be while all of them are read by one statement. */
export async function shortOrganization(query) {
  const organization = newId('org');
  await query(`INSERT INTO organizations (id, name) VALUES ($1, 'Short')`, [organization]);
  const [{ value: token }] = await makeTokens(query, 1, ['admin'], organization);
  await query(
    `INSERT INTO users (organization_id, id, name, name_key, email, email_key, external_id, role, metadata)
     SELECT $1, id, $3 || n, 'user', email, email, $3 || n, 'member', $4
     FROM unnest($2::text[]) WITH ORDINALITY AS t (id, n), format('%s@example.com', lpad(n::text, 64, 'x')) AS email`,
    [organization, ids('usr', PAGE), longName(196), JSON.stringify({ a: 'é'.repeat(508) })],
  );
  await query(
    `INSERT INTO user_search (organization_id, user_id, name_key, name, text)
     SELECT organization_id, id, name_key, name, ' short' FROM users WHERE organization_id = $1`,
    [organization],
  );
  return { token };
}

/** An organization with a group of 100,000 members. */
export async function largeOrganization(query) {
  const organization = newId('org');
  await query(`INSERT INTO organizations (id, name) VALUES ($1, 'Large')`, [organization]);
  const [{ value: token }] = await makeTokens(query, 1, ['admin'], organization);
  const users = ids('usr', USERS);
  await query(insertUsers, [organization, users]);
  const [group] = ids('grp', 1);
  await query(insertGroups, [organization, [group], [groupName(0)], USERS]);
  await query(insertMembers, [organization, [group], users]);
  /** A group of its first members. */
  const newGroup = async (count = 0) => {
    const id = newId('grp');
    await query(insertGroups, [organization, [id], [groupName(id)], count]);
    await query(insertMembers, [organization, [id], users.slice(0, count)]);
    return id;
  };
  return { token, users, group, newGroup };
}
