// Requests to an organization of the filled database.
import { createRequire } from 'node:module';
import { BASE } from '../sides.mjs';

const { person } = createRequire(import.meta.url)('../../dist/src/demo/people.js');

/** The number of the next person; no earlier run has created it. */
let made = Date.now();
export const newPerson = () => person(made++);

export const anyOf = (list) => list[Math.floor(Math.random() * list.length)];

export const createUser = {
  name: 'create',
  requestOf: ({ organizations }) => ({
    method: 'POST',
    path: BASE,
    organization: anyOf(organizations),
    body: newPerson(),
  }),
};

/** Sends one request. Returns its status, its body and how long it took in ms. */
export async function send(url, organization, path, { method = 'GET', body } = {}) {
  const started = performance.now();
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${organization.token}`,
      ...(body && { 'Content-Type': 'application/json' }),
    },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  const ms = performance.now() - started;
  return { status: response.status, ms, body: text && JSON.parse(text) };
}
