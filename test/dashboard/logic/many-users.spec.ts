import { ApiError, type ClientOptions, createClient, type User } from '../../../client/index';
import { isUnanswered } from '../../../dashboard/ui/faults';
import {
  type Bulk,
  changeActive,
  changeRole,
  deleteUsers,
  type Outcome,
  summaryOf,
} from '../../../dashboard/users/bulk/bulk';
import { proposeTargets } from '../../../csv/proposals';
import { keyFault } from '../../../csv/targets';
import { readHead } from '../../../dashboard/users/import/csv-file';
import { interruption } from '../../../dashboard/users/import/interruption';
import type { ImportProgress } from '../../../dashboard/users/import/progress';
import { type ImportOptions, runImport } from '../../../dashboard/users/import/run-import';
import type { Client } from '../../support/client';
import { useService } from '../../support/service';

const service = useService();

const clientOf = (api: Client, options: Pick<ClientOptions, 'fetch' | 'retryBudgetMs'> = {}) =>
  createClient({ baseUrl: service.url, token: api.tokenValue, ...options });

const countIn = async ({ organizationId }: Client): Promise<number> => {
  const sql = 'SELECT count(*)::int FROM users WHERE organization_id = $1';
  return (await service.dataSource.query(sql, [organizationId]))[0].count;
};

describe('an action on many users', () => {
  const signal = new AbortController().signal;
  const hooks = { signal, stopping: signal, onWait() {}, onProgress() {} };
  const nothing = (): Outcome => ({ done: [], changed: [], refused: [], isUncertain: false });
  const addUsers = async (api: Client, count: number): Promise<User[]> => {
    const users = Array.from({ length: count }, (_, n) => ({ name: `P${n}`, email: `p${n}@example.com` }));
    const { body } = await api.post('/api/v1/users/batch', { users }).expect(200);
    return body.results.map(({ id }: { id: string }, n: number) => ({ id, version: 1, ...users[n] }));
  };

  it('ends, when it is stopped, with the answer to the part that is on its way, which Undo undoes', async () => {
    const api = await service.client();
    const targets = [...(await addUsers(api, 500)), { id: 'usr_x', name: 'Never sent' } as User];
    const stopper = new AbortController();
    const client = clientOf(api, {
      fetch: async (input, init) => {
        stopper.abort();
        return fetch(input, init);
      },
    });
    const outcome = nothing();
    const deletion = deleteUsers(client, targets);
    await deletion.work(targets, outcome, { ...hooks, stopping: stopper.signal });
    expect(summaryOf(deletion, outcome)).toBe('Deleted 500 of 501 users');
    expect(await countIn(api)).toBe(0);
    await deletion.undo!(outcome.done).work(outcome.done, nothing(), hooks);
    expect(await countIn(api)).toBe(500);
  });

  it('is undone only for those whom it has changed for certain, and nobody else', async () => {
    const api = await service.client();
    const client = clientOf(api);
    const [viewer, renamed, ...others] = await addUsers(api, 4);
    await client.users.update(viewer.id, { role: 'viewer' });
    await client.users.update(renamed.id, { name: 'New' });
    /** Changes the role of all to viewer, and returns those whom Undo undoes. */
    const undoneOf = async (targets: User[]) => {
      const outcome = nothing();
      await changeRole(client, targets, 'viewer').work(targets, outcome, hooks);
      expect(outcome.done).toEqual(targets);
      return outcome.changed;
    };
    expect(await undoneOf([{ ...viewer, version: 2 }, renamed, others[0]])).toEqual([others[0]]);
    // Somebody else has given the role to one of them after both were listed: the answer does not tell to whom.
    expect(await undoneOf([viewer, others[1]])).toEqual([]);
  });

  it('may have done something if no answer came, until the same part is answered', async () => {
    const api = await service.client();
    const targets = await addUsers(api, 1);
    const statuses = [500, 403];
    const client = clientOf(api, {
      retryBudgetMs: 0,
      fetch: async (input, init) => {
        const answer = await fetch(input, init);
        return statuses.length > 0 ? new Response('', { status: statuses.shift() }) : answer;
      },
    });
    const outcome = nothing();
    const deletion = deleteUsers(client, targets);
    for (const _status of [500, 403]) {
      await expect(deletion.work(targets, outcome, hooks)).rejects.toThrow();
      expect(summaryOf(deletion, outcome)).toBe('Deleted 0 of 1 user; some more may have been deleted');
    }
    await deletion.work(targets, outcome, hooks);
    expect(summaryOf(deletion, outcome)).toBe('Deleted 1 user');
    expect(outcome.refused).toEqual([]);
  });

  it('has no answer yet, either, while the service still works on the same part', () => {
    const fields = { requestId: undefined, retryAfter: undefined };
    const isUnknown = (code: ApiError['code']) =>
      isUnanswered(new ApiError('x', { status: 409, code, ...fields }));
    expect([isUnknown('idempotency_in_progress'), isUnknown('conflict')]).toEqual([true, false]);
  });

  it('says in its own words what it does, what it did and what was refused', () => {
    const client = clientOf({ tokenValue: 'ums_x' } as Client);
    const targets = Array.from({ length: 1_250 }, (_, n) => ({ id: `usr_${n}`, name: `P${n}` }) as User);
    const refused = targets.slice(1_247).map((target) => ({ target, reason: 'x' }));
    const outcome = { done: targets.slice(0, 1_247), changed: [], refused, isUncertain: false };
    const rows: [Bulk, string, string][] = [
      [changeActive(client, targets, true), 'Activating', 'Activated 1,247 users; 3 could not be activated'],
      [
        changeActive(client, targets, false),
        'Deactivating',
        'Deactivated 1,247 users; 3 could not be deactivated',
      ],
      [
        changeRole(client, targets, 'viewer'),
        'Changing the role of',
        'Changed the role of 1,247 users; 3 could not be changed',
      ],
      [deleteUsers(client, targets), 'Deleting', 'Deleted 1,247 users; 3 could not be deleted'],
    ];
    for (const [bulk, doing, summary] of rows)
      expect([bulk.doing, summaryOf(bulk, outcome)]).toEqual([doing, summary]);
  });
});

describe('a file of users', () => {
  let api: Client;
  beforeEach(async () => void (api = await service.client()));

  const fileOf = (content: string) => new File([content], 'people.csv');
  const people = (count: number) =>
    ['email,name', ...Array.from({ length: count }, (_, n) => `p${n}@example.com,Person ${n}`)].join('\n');

  /** Imports a file, whose columns become what their names suggest. */
  async function run(content: string, options: Partial<ImportOptions> = {}, client = clientOf(api)) {
    const head = await readHead(fileOf(content));
    const reported: ImportProgress[] = [];
    await runImport(client, head, proposeTargets(head.header, []), {
      mode: 'create',
      dryRun: false,
      signal: new AbortController().signal,
      stopping: new AbortController().signal,
      onProgress: (progress) => void reported.push(progress),
      onFailure: async (error) => {
        throw error;
      },
      ...options,
    });
    const { counts, refused } = reported.at(-1)!;
    const reasons = refused.map(
      ({ row, faults }) =>
        `${row.line} ${faults.map(({ field, message }) => `${field} ${message}`).join('; ')}`,
    );
    return { counts, reasons, reported };
  }

  it('is refused if it is empty, has no rows, or a quote stays open', async () => {
    for (const [content, message] of [
      ['\n\n', 'The file is empty.'],
      ['email,name\n', 'The file has no rows below its header.'],
      ['email,name\na@example.com,"Ada\n', 'The quote that opens at line 2 is never closed.'],
    ])
      await expect(readHead(fileOf(content))).rejects.toThrow(message);
  });

  it('merges single keys of the metadata into those that users have', async () => {
    const { id } = await api.createUser({ email: 'ada@example.com', metadata: { plan: 'pro', dept: 'HR' } });
    const csv = 'email,name,metadata.dept\nada@example.com,Ada,Sales\nnew@example.com,New,\n';
    const { counts } = await run(csv, { mode: 'upsert' });
    expect(counts).toMatchObject({ created: 1, updated: 1, failed: 0 });
    const { body } = await api.get(`/api/v1/users/${id}`).expect(200);
    expect(body.metadata).toEqual({ plan: 'pro', dept: 'Sales' });
  });

  it('has the same keys of the metadata refused as the service', async () => {
    const keys = ['', 'x', 'a.b', ' ', '__proto__', 'constructor', 'prototype', 'toString', 'a\0'];
    for (const key of [...keys, '😀'.repeat(64), '😀'.repeat(65)]) {
      const metadata = `{${JSON.stringify(key)}:"x"}`;
      const response = await fetch(`${service.url}/api/v1/users`, {
        method: 'POST',
        headers: { authorization: `Bearer ${api.tokenValue}`, 'content-type': 'application/json' },
        body: `{"name":"Key","email":"key-${keys.indexOf(key)}-${key.length}@example.com","metadata":${metadata}}`,
      });
      expect([key, response.status]).toEqual([key, keyFault(key) === undefined ? 201 : 400]);
    }
  });

  it('is sent in several batches, and an email that stands in two of them is refused', async () => {
    const { counts, reasons, reported } = await run(`${people(1_200)}\np3@example.com,Again\n`);
    expect(counts).toEqual({ created: 1_200, updated: 0, unchanged: 0, failed: 1 });
    expect(reasons).toEqual(['1202 email appears in an earlier row of the file']);
    expect(new Set(reported.map(({ line }) => line))).toEqual(new Set([501, 1_001, 1_201]));
  });

  it('goes on after a failure with the same key, so that nothing is written twice', async () => {
    const keys: (string | null)[] = [];
    const client = clientOf(api, {
      retryBudgetMs: 0,
      fetch: async (input, init) => {
        keys.push(new Headers(init?.headers).get('Idempotency-Key'));
        const answer = await fetch(input, init);
        return keys.length === 1 ? new Response('', { status: 500 }) : answer; // it was lost after the work
      },
    });
    const { counts, reported } = await run(people(2), { onFailure: async () => {} }, client);
    expect(counts).toMatchObject({ created: 2, failed: 0 });
    expect(reported.map(({ isUncertain }) => isUncertain)).toEqual([true, false, false]);
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  });

  it('whose import is stopped ends with the answer to the rows that are on their way', async () => {
    const stopper = new AbortController();
    const onProgress = jest.fn();
    const client = clientOf(api, {
      fetch: async (input, init) => {
        stopper.abort();
        return fetch(input, init);
      },
    });
    const stopped = run(people(501), { stopping: stopper.signal, onProgress }, client);
    await expect(stopped).rejects.toThrow('aborted');
    expect(onProgress.mock.lastCall).toMatchObject([{ counts: { created: 500 }, line: 501 }]);
    expect(await countIn(api)).toBe(500);
  });

  it('whose import is interrupted says what was written', () => {
    const counts = { created: 7, updated: 1, unchanged: 0, failed: 0 };
    const after = (...lines: number[]) => {
      const refused = lines.map((line) => ({ row: { line, cells: [] }, faults: [] }));
      return interruption('a.csv', { bytes: 0, counts, refused, line: 501, isUncertain: false });
    };
    expect(interruption('a.csv', undefined)).toBe(
      'The import of a.csv was interrupted before any answer came; look at the list for what was written.',
    );
    expect(after()).toContain(
      'The rows up to line 501 have been written: 7 created, 1 changed, 0 unchanged.',
    );
    expect(after(5, 700)).toContain('written except line 5, which was refused: 7 created');
    expect(after(5, 6)).toContain('written except the 2 that were refused (lines 5, 6): 7');
    const many = Array.from({ length: 21 }, (_, n) => n + 2);
    expect(after(...many)).toContain('except the 21 that were refused (the first are lines 2, 3, ');
  });
});
