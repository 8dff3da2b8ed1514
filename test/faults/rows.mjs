// Rows as requests would leave them, but written in a moment.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { newTokenValue, hashOf, hintOf } = require('../../dist/src/tokens/token/token-value.js');
const { newId } = require('../../dist/src/platform/database/id.js');

export { newId };
export const ids = (prefix, count) => Array.from({ length: count }, () => newId(prefix));

/** Inserts tokens for an organization, by default the one that exists; returns their ids and values. */
export async function makeTokens(query, count, scopes = ['admin'], organization = undefined) {
  organization ??= (await query('SELECT id FROM organizations LIMIT 1'))[0].id;
  const tokens = ids('tok', count).map((id) => ({ id, value: newTokenValue() }));
  await query(
    `INSERT INTO tokens (id, organization_id, name, hash, hint, scopes)
     SELECT id, $1, 'Load', decode(hash, 'hex'), hint, $2
     FROM unnest($3::text[], $4::text[], $5::text[]) AS t (id, hash, hint)`,
    [
      organization,
      scopes,
      tokens.map(({ id }) => id),
      tokens.map(({ value }) => hashOf(value).toString('hex')),
      tokens.map(({ value }) => hintOf(value)),
    ],
  );
  return tokens;
}

/** An organization with an admin token. */
export async function newOrganization(query, name) {
  const id = newId('org');
  await query('INSERT INTO organizations (id, name) VALUES ($1, $2)', [id, name]);
  const [{ value: admin }] = await makeTokens(query, 1, ['admin'], id);
  return { id, admin };
}

/** Returns their ids. The `prefix` is that of their emails, each of which has a number from 1 on. */
export async function insertUsers(query, organization, count, { name = 'User', prefix, metadata = '{}' }) {
  const users = ids('usr', count);
  await query(
    `INSERT INTO users (organization_id, id, name, name_key, email, email_key, role, metadata)
     SELECT $1, id, $5, lower($5), email, email, 'member', $4
     FROM unnest($2::text[]) WITH ORDINALITY AS t (id, n), concat($3::text, n, '@example.com') AS email`,
    [organization, users, prefix, metadata, name],
  );
  return users;
}

/** What a directory gives of every user of an organization. */
export const insertAttributes = (query, organization, attributes) =>
  query(
    `INSERT INTO scim_users (organization_id, user_id, user_name, attributes, email, name, keys)
     SELECT organization_id, id, email, $2, email, name, '{}' FROM users WHERE organization_id = $1`,
    [organization, JSON.stringify(attributes)],
  );

/** Groups with these names, each of which has all these members; returns their ids. */
export async function insertGroups(query, organization, names, members, externalId = null) {
  const groups = ids('grp', names.length);
  await query(
    `INSERT INTO groups (organization_id, id, display_name, display_name_key, external_id, member_count)
     SELECT $1, id, name, name, $5, $4 FROM unnest($2::text[], $3::text[]) AS t (id, name)`,
    [organization, groups, names, members.length, externalId],
  );
  await query(
    `INSERT INTO group_members (organization_id, group_id, user_id)
     SELECT $1, groups.id, members.id FROM unnest($2::text[]) AS groups (id) CROSS JOIN unnest($3::text[]) AS members (id)`,
    [organization, groups, members],
  );
  return groups;
}

/** Changes of users as writes leave them, without a number; returns their ids. */
export async function insertEvents(query, organization, count, data, target = 'usr_x') {
  const events = ids('evt', count);
  await query(
    `INSERT INTO events (organization_id, id, type, source, actor_name, target_id, data)
     SELECT $1, id, 'user.updated', 'api', 'Test', $3, $4 FROM unnest($2::text[]) AS t (id)`,
    [organization, events, target, data],
  );
  return events;
}

export const insertDeletedUsers = (query, organization, count, fields) =>
  query(
    `INSERT INTO deleted_users (organization_id, id, version, email_key, fields)
     SELECT $1, id, 1, id, $3 FROM unnest($2::text[]) AS t (id)`,
    [
      organization,
      ids('usr', count),
      JSON.stringify({
        createdAt: '2026-01-31T09:30:00.000Z',
        updatedAt: '2026-01-31T09:30:00.000Z',
        ...fields,
      }),
    ],
  );
