// Organizations and their users: demo people, the same in each run.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { newTokenValue, hashOf, hintOf } = require('../dist/src/tokens/token/token-value.js');
const { newId } = require('../dist/src/platform/database/id.js');
const { person } = require('../dist/src/entry/demo/people.js');

export const BASE = '/api/v1/users';
export const PER_BATCH = 500;
const SENDERS = 4;

/** Creates organizations without users, each with a token. */
export async function createOrganizations(client, count) {
  const organizations = Array.from({ length: count }, () => ({
    id: newId('org'),
    token: newTokenValue(),
    size: 0,
  }));
  for (const { id, token } of organizations) {
    await client.query(`INSERT INTO organizations (id, name) VALUES ($1, 'Bench')`, [id]);
    await client.query(
      `INSERT INTO tokens (id, organization_id, name, hash, hint, scopes) VALUES ($1, $2, 'Bench', $3, $4, '{admin}')`,
      [newId('tok'), id, hashOf(token), hintOf(token)],
    );
  }
  return organizations;
}

/**
 * Sends batches until each organization has its size, and returns the new users. The n-th user of an organization is
 * personOf() it.
 */
export async function fill(url, organizations, sizeOf) {
  const batches = [];
  let first = 0;
  for (const organization of organizations) {
    const size = sizeOf(organization);
    // Later pieces of an organization may repeat people of the next one.
    organization.first ??= first;
    first += size;
    for (let from = organization.size; from < size; from += PER_BATCH)
      batches.push({ organization, from, to: Math.min(size, from + PER_BATCH) });
    organization.size = size;
  }
  batches.sort((a, b) => a.from - b.from); // all organizations grow together
  const users = [];
  const queue = batches.values();
  const send = async () => {
    for (const { organization, from, to } of queue) {
      const people = Array.from({ length: to - from }, (_, i) => personOf(organization, from + i));
      const results = await sendBatch(url, organization, people);
      for (const [i, { id }] of results.entries()) users.push({ id, organization, role: people[i].role });
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
  return users;
}

export const personOf = ({ first }, n) => person(first + n);

/** An interrupted run has created some of the users. */
async function sendBatch(url, { token }, users) {
  const response = await fetch(`${url}${BASE}/batch`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ users, mode: 'upsert' }),
  });
  const { results, counts, detail } = await response.json();
  if (counts?.failed === 0) return results;
  throw new Error(`a batch failed: ${response.status} ${detail ?? JSON.stringify(counts)}`);
}
