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
  const answerOf = ({ status, code, errors }: Answer): Answer =>
    status < 400 ? { status } : { status, code, errors };

  /**
   * The answers to requests of their own, and to the same in batches, of two organizations; the users are then the
   * same.
   */
  async function compare(
    mode: 'create' | 'upsert',
    bodies: string[],
    alone: (client: Client, body: string, n: number) => Promise<{ status: number; body: Answer }>,
    elementOf: (body: string, n: number) => string,
  ): Promise<number> {
    const [single, batched] = [await service.client(), await service.client()];
    const known = bodies.slice(0, 500).map((_body, n) => ({ name: 'Known', email: knownEmail(n) }));
    for (const client of [single, batched]) await post(known, {}, client).expect(200);
    const answers: Answer[] = [];
    for (const [n, body] of bodies.entries()) {
      const answer = await alone(single, body, n);
      answers.push(answerOf({ ...answer.body, status: answer.status }));
    }
    let pending = bodies.map((_body, n) => n);
    let refusals = 0;
    while (pending.length > 0) {
      const group = pending.slice(0, 500);
      const elements = group.map((n) => elementOf(bodies[n], n));
      const { status, body } = await batched
        .post(PATH)
        .type('json')
        .send(`{"users":[${elements.join()}],"mode":"${mode}"}`);
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
  const knownEmail = (n: number) => `known-${n}@example.com`;

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
    const refusals = await compare('create', corpus, create, (body) => body);
    expect(refusals).toBeGreaterThanOrEqual(HOSTILE_BODIES.length);
  });

  it('as a PATCH', async () => {
    const bodies = corpus
      .filter((body) => body.startsWith('{'))
      .map((body) => body.replace(/"name":"Ada",?/, ''))
      .map((body) => body.replace(/"email":"(?:[^"\\]|\\.)*",?/, '').replace(/,\}$/, '}'))
      .filter((body) => !body.includes('"email":')); // another value finds nobody
    const changes = [...new Set(bodies)];
    expect(changes.length).toBeLessThanOrEqual(500);
    const ids = new Map<Client, string[]>();
    const update = async (client: Client, body: string, n: number) => {
      if (!ids.has(client)) {
        const { results } = (
          await post(
            changes.map((_body, n) => ({ email: knownEmail(n) })),
            { mode: 'upsert', dryRun: true },
            client,
          )
        ).body;
        ids.set(
          client,
          results.map(({ id }: { id: string }) => id),
        );
      }
      return client
        .patch(`/api/v1/users/${ids.get(client)![n]}`)
        .type('json')
        .send(body);
    };
    const refusals = await compare('upsert', changes, update, (body, n) =>
      body.replace('{', `{"email":${JSON.stringify(knownEmail(n))}${body === '{}' ? '' : ','}`),
    );
    expect(refusals).toBeGreaterThan(5);
  });
});
