// Writes what the service writes, to its tables: the user, its search text, the event, the former search text, the deleted
// user, and the words of the search after the commit. Each write is a transaction of fixed statements.
import { newId, pool, readsOf, run } from './common.mjs';

const COLUMNS =
  'id, name, email, role, active, metadata, version, created_at AS "createdAt", updated_at AS "updatedAt"';
const LOCK = `SELECT ${COLUMNS} FROM users WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE`;
const INSERT = `
  INSERT INTO users (organization_id, id, name, name_key, email, email_key, role, active, metadata)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING ${COLUMNS}`;
const UPDATE = `
  UPDATE users SET name = $3, name_key = $4, email = $5, email_key = $6, role = $7, active = $8, metadata = $9, version = version + 1,
    updated_at = greatest(updated_at, now())
  WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`;
const UPDATE_ROLE = `
  UPDATE users SET role = $3, version = version + 1, updated_at = greatest(updated_at, now())
  WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`;
const DELETE = `DELETE FROM users WHERE organization_id = $1 AND id = $2`;
const ADD_TEXT = `
  INSERT INTO user_search (organization_id, user_id, name_key, name, text) VALUES ($1, $2, $3, $4, $5)`;
const CHANGE_TEXT = `
  UPDATE user_search SET name_key = $3, name = $4, text = $5 WHERE organization_id = $1 AND user_id = $2`;
const KEEP_TEXT = `INSERT INTO replaced_texts (organization_id, user_id, text) VALUES ($1, $2, $3)`;
const KEEP_USER = `
  INSERT INTO deleted_users (organization_id, id, version, email_key, fields) VALUES ($1, $2, $3, $4, $5)`;
const ADD_EVENT = `
  INSERT INTO events (organization_id, id, type, source, actor_id, actor_name, target_id, request_id, data)
  VALUES ($1, $2, $3, 'api', $4, $5, $6, $7, $8)`;
const ADD_WORDS = `
  INSERT INTO search_words (organization_id, word) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING`;

export const { get, list } = readsOf('users', COLUMNS);

export async function create(caller, fields) {
  const { organizationId } = caller;
  const text = searchTextOf(fields);
  const user = await transaction(async (client) => {
    const id = newId('usr');
    const [created] = await run(client, 'insert', INSERT, valuesOf(organizationId, id, fields));
    await run(client, 'add text', ADD_TEXT, [organizationId, id, nameKeyOf(fields), fields.name, text]);
    await addEvent(client, caller, 'user.created', id, { user: { id, ...fields, version: 1 } });
    return created;
  });
  await addWords(organizationId, fields);
  return user;
}

export async function update(caller, id, fields) {
  const { organizationId } = caller;
  let isSearched = false;
  const user = await transaction(async (client) => {
    const [former] = await run(client, 'lock', LOCK, [organizationId, id]);
    if (!former) return undefined;
    const names = Object.keys(fields).filter(
      (name) => JSON.stringify(fields[name]) !== JSON.stringify(former[name]),
    );
    if (names.length === 0) return former;
    isSearched = names.some((name) => name !== 'role');
    const next = { ...former, ...fields };
    const [changed] = isSearched
      ? await run(client, 'update', UPDATE, valuesOf(organizationId, id, next))
      : await run(client, 'update role', UPDATE_ROLE, [organizationId, id, next.role]);
    if (isSearched) {
      const values = [organizationId, id, nameKeyOf(next), next.name, searchTextOf(next)];
      await run(client, 'change text', CHANGE_TEXT, values);
      await run(client, 'keep text', KEEP_TEXT, [organizationId, id, searchTextOf(former)]);
    }
    const previous = Object.fromEntries(names.map((name) => [name, former[name]]));
    await addEvent(client, caller, 'user.updated', id, { user: recordOf(changed), previous });
    return changed;
  });
  if (isSearched) await addWords(organizationId, user);
  return user;
}

export function remove(caller, id) {
  const { organizationId } = caller;
  return transaction(async (client) => {
    const [user] = await run(client, 'lock', LOCK, [organizationId, id]);
    if (!user) return undefined;
    const record = JSON.stringify(recordOf(user));
    await run(client, 'delete', DELETE, [organizationId, id]);
    await run(client, 'keep user', KEEP_USER, [organizationId, id, user.version, emailKeyOf(user), record]);
    await run(client, 'keep text', KEEP_TEXT, [organizationId, id, searchTextOf(user)]);
    await addEvent(client, caller, 'user.deleted', id, { user: recordOf(user) });
    return user;
  });
}

async function transaction(work) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

const addEvent = (client, { organizationId, id: actor, name, requestId }, type, target, data) => {
  const values = [organizationId, newId('evt'), type, actor, name, target, requestId, JSON.stringify(data)];
  return run(client, 'add event', ADD_EVENT, values);
};

async function addWords(organizationId, { name, email, metadata }) {
  const words = [name, email, ...stringsIn(metadata)].flatMap(
    (text) => fold(text).match(/\p{L}{3,16}/gu) ?? [],
  );
  // In one order, so that two statements with the same words cannot deadlock.
  await run(pool, 'add words', ADD_WORDS, [organizationId, [...new Set(words)].sort()]);
}

const valuesOf = (organizationId, id, fields) => [
  organizationId,
  id,
  fields.name,
  nameKeyOf(fields),
  fields.email,
  emailKeyOf(fields),
  fields.role,
  fields.active,
  JSON.stringify(fields.metadata),
];

const recordOf = ({ createdAt, updatedAt, ...user }) => ({
  ...user,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

const LETTERS = { ø: 'o', ł: 'l', ı: 'i', ß: 'ss', æ: 'ae', œ: 'oe', đ: 'd' };
const fold = (text) =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[øłıßæœđ]/g, (letter) => LETTERS[letter]);
const nameKeyOf = ({ name }) => fold(name);
const emailKeyOf = ({ email }) => email.toLowerCase();

/** The search text as the service stores it: words marked by a space, and punctuation written as capital letters. */
const searchTextOf = ({ name, email, metadata }) =>
  `${encode(name)}\n@${encode(email)}\n#${stringsIn(metadata).map(encode).join('\n')}`;

const encode = (text) =>
  fold(text)
    .replace(/[\p{L}\p{N}]+/gu, ' $&')
    .replace(/[^a-z0-9\s]/gu, (letter) => CODES[letter] ?? codeOf(letter));

const CODES = { '.': 'QA', '@': 'QB' };
const codeOf = (letter) =>
  `R${letter
    .codePointAt(0)
    .toString(16)
    .padStart(2, '0')
    .replace(/./g, (digit) => 'ABCDEFGHIJKLMNOP'[parseInt(digit, 16)])}`;

const stringsIn = (value) =>
  typeof value === 'string' ? [value] : Object.values(Object(value)).flatMap(stringsIn);
