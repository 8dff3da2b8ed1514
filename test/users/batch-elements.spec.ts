import fc from 'fast-check';
import { PATH, useBatch, usersOf } from '../support/batch';
import type { Client } from '../support/client';
import { anyUser, EMAILS, HOSTILE_BODIES, TEXTS, VALUES } from '../support/hostile';

const { service, post } = useBatch();

describe('an element gets the answer of a request of its own', () => {
  interface Answer {
    status: number;
    code?: string;
    errors?: { field: string }[];
  }
  interface Known {
    id: string;
    email: string;
  }
  const answerOf = ({ status, code, errors }: Answer): Answer =>
    status < 400 ? { status } : { status, code, errors };

  /**
   * The answers to requests of their own, and to the same in batches, of two organizations; the users are then the
   * same.
   */
  async function compare(
    rules: object,
    bodies: string[],
    alone: (client: Client, body: string, user: Known) => Promise<{ status: number; body: Answer }>,
    elementOf: (body: string, user: Known) => string,
  ): Promise<number> {
    const [single, batched] = [await service.client(), await service.client()];
    const known = bodies
      .slice(0, 500)
      .map((_body, n) => ({ name: 'Known', email: `known-${n}@example.com` }));
    const create = async (client: Client): Promise<Known[]> => {
      const { results } = (await post(known, {}, client).expect(200)).body;
      return known.map(({ email }, n) => ({ email, id: results[n].id }));
    };
    const [singles, elements] = [await create(single), await create(batched)];
    const answers: Answer[] = [];
    for (const [n, body] of bodies.entries()) {
      const answer = await alone(single, body, singles[n]);
      answers.push(answerOf({ ...answer.body, status: answer.status }));
    }
    let pending = bodies.map((_body, n) => n);
    let refusals = 0;
    while (pending.length > 0) {
      const group = pending.slice(0, 500);
      const users = group.map((n) => elementOf(bodies[n], elements[n]));
      const { status, body } = await batched
        .post(PATH)
        .type('json')
        .send(`{"users":[${users.join()}],${JSON.stringify(rules).slice(1)}`);
      if (status === 200) {
        const results = body.results.map((result: Answer, i: number) => [bodies[group[i]], answerOf(result)]);
        expect(results).toEqual(group.map((n) => [bodies[n], answers[n]]));
        pending = pending.slice(group.length);
        continue;
      }
      // What cannot be stored in any JSON refuses the whole.
      const refused = new Set<number>();
      for (const { field, ...error } of body.errors) {
        const [, index, name] = /^users\.(\d+)\.(.*)$/s.exec(field)!;
        const n = group[Number(index)];
        expect(answers[n].errors).toContainEqual({ field: name, ...error });
        refused.add(n);
      }
      expect(refused.size).toBeGreaterThan(0);
      refusals += refused.size;
      pending = pending.filter((n) => !refused.has(n));
    }
    const stored = async (client: Client) =>
      (await usersOf(client)).map(({ id: _id, createdAt: _created, updatedAt: _updated, ...user }) => user);
    expect(await stored(batched)).toEqual(await stored(single));
    return refusals;
  }

  const fields = ['name', 'email', 'role', 'metadata', 'id', 'other'];
  const isFree = (field: string) => ['name', 'email', 'role'].includes(field);
  const corpus = [
    ...HOSTILE_BODIES.map(([, body]) => body),
    ...fields.flatMap((field) =>
      [...(isFree(field) ? TEXTS : []), ...(field === 'email' ? EMAILS : []), ...VALUES].map((value, n) =>
        JSON.stringify({ name: 'Ada', email: `${field}${n}@example.com`, [field]: value }),
      ),
    ),
    ...['{}', '7', 'null', '[]', '"text"', '[{}]', 'true'],
    ...fc.sample(anyUser, { numRuns: 60, seed: 1 }).map((fields) => JSON.stringify(fields)),
  ];

  it('as a POST', async () => {
    const create = async (client: Client, body: string) =>
      client.post('/api/v1/users').type('json').send(body);
    const refusals = await compare({ mode: 'create' }, corpus, create, (body) => body);
    expect(refusals).toBeGreaterThanOrEqual(HOSTILE_BODIES.length);
  });

  const MERGE_PATCH = 'application/merge-patch+json';

  it.each([
    ['a PATCH, in an upsert by email', { mode: 'upsert' }, 'application/json'],
    ['a PATCH, in an update by id', { mode: 'update', by: 'id' }, 'application/json'],
    ['a merge patch, in an upsert by email', { mode: 'upsert', merge: true }, MERGE_PATCH],
    ['a merge patch, in an update by id', { mode: 'update', by: 'id', merge: true }, MERGE_PATCH],
  ])('as %s', async (_name, rules, type) => {
    const bodies = corpus
      .filter((body) => body.startsWith('{'))
      .map((body) => body.replace(/"name":"Ada",?/, ''))
      .map((body) => body.replace(/"email":"(?:[^"\\]|\\.)*",?/, '').replace(/,\}$/, '}'))
      .filter((body) => !/"(email|id)":/.test(body)); // another value finds nobody
    const changes = [...new Set(bodies)];
    expect(changes.length).toBeLessThanOrEqual(500);
    const update = async (client: Client, body: string, { id }: Known) =>
      client.patch(`/api/v1/users/${id}`).type(type).send(body);
    const identity = ({ id, email }: Known) => JSON.stringify('by' in rules ? { id } : { email });
    const refusals = await compare(rules, changes, update, (body, user) =>
      body.replace('{', `${identity(user).slice(0, -1)}${body === '{}' ? '' : ','}`),
    );
    expect(refusals).toBeGreaterThan(5);
  });
});
