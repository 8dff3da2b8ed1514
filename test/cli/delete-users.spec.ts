/**
 * @slow each command opens the database
 * @only embedded postgres: it tests the command; what is deleted are batches
 */
import { once } from 'node:events';
import { describeOn } from '../support/engine';
import { ndjson, people, useJobs } from '../support/jobs';
import { ums } from '../support/process';

const { database, path, file, newOrganization, job, importFile, exported, withService } = useJobs();

const NOBODY = 'usr_00000000000000000000000000';

/** An organization with so many users, and their ids. */
async function withPeople(count: number): Promise<{ organization: string; ids: string[] }> {
  const organization = await newOrganization();
  await importFile(file('people.ndjson', ndjson(people(0, count))), organization);
  return { organization, ids: (await exported(organization)).map(({ id }) => id) };
}

const lines = (ids: readonly string[]) => ids.map((id) => `${id}\n`).join('');
const deleteIds = (path: string, organization: string, ...options: string[]) =>
  job('users', 'delete', '--ids', path, '--organization', organization, ...options);

describe('ums users delete', () => {
  it('deletes the users of a file, with an event each, and a dry run deletes nobody', async () => {
    const { organization, ids } = await withPeople(620);
    const list = file('left.txt', `\ufeff${lines(ids.slice(0, 610))}`);
    const dry = await deleteIds(list, organization, '--dry-run');
    expect(dry).toMatchObject({ code: 0, summary: { ids: 610, deleted: 610, refused: 0, dryRun: true } });
    expect(await exported(organization)).toHaveLength(620);
    const { code, summary, stderr } = await deleteIds(list, organization);
    expect({ code, summary }).toMatchObject({
      code: 0,
      summary: { ids: 610, deleted: 610, refused: 0, dryRun: false, complete: true },
    });
    expect(stderr).toMatch(/\d+ %, 610 rows/);
    expect((await exported(organization)).map(({ id }) => id)).toEqual(ids.slice(610));
    await withService(organization, async (api) => {
      const { body } = await api.get('/api/v1/events?type=user.deleted&limit=200').expect(200);
      expect(body.data.map(({ target }: { target: { id: string } }) => target.id)).toEqual(ids.slice(0, 200));
      expect(body.data[0]).toMatchObject({
        actor: { type: 'system', name: 'ums users delete' },
        source: 'cli',
      });
      await api.post(`/api/v1/deleted-users/${ids[0]}/restore`).expect(200);
    });
  });

  it('shows each line that it refuses, deletes the others, and fails', async () => {
    const { organization, ids } = await withPeople(2);
    const list = file('mixed.txt', `${ids[0]}\r\n\n  ${NOBODY}\nAda\u001b[31m\n${ids[0]}\n${ids[1]}`);
    const { code, summary, stderr } = await deleteIds(list, organization);
    expect({ code, summary }).toMatchObject({ code: 1, summary: { ids: 5, deleted: 2, refused: 3 } });
    expect(stderr).toContain(`line 3: ${NOBODY}: there is no such user\n`);
    expect(stderr).toContain(`line 5: ${ids[0]}: there is no such user\n`);
    expect(stderr).toMatch(/line 4: Ada\S+31m: there is no such user/);
    expect(stderr).not.toContain('\u001b[31m');
    expect(await exported(organization)).toEqual([]);
  });

  it('says what is wrong with a file, an organization or its options', async () => {
    const { organization, ids } = await withPeople(1);
    const cases: [args: string[], message: RegExp][] = [
      [['--ids', path('nowhere.txt'), '--organization', organization], /ENOENT|no such file/],
      [
        ['--ids', file('long.txt', `${ids[0]}\n${'x'.repeat(2_000)}`), '--organization', organization],
        /Line 2 is no ID/,
      ],
      [['--ids', file('one.txt', ids[0]), '--organization', 'org_x'], /no such organization/],
      [['--organization', organization], /--ids/],
    ];
    for (const [args, message] of cases) {
      const { code, stderr } = await job('users', 'delete', ...args);
      expect({ args, code, stderr }).toEqual({ args, code: 1, stderr: expect.stringMatching(message) });
    }
    expect(await exported(organization)).toHaveLength(1);
  });
});

describeOn('postgres', 'ums users delete, from standard input', () => {
  it('deletes what has arrived, and stops at Ctrl-C while it waits for more', async () => {
    const { organization, ids } = await withPeople(700);
    const args = ['users', 'delete', '--ids', '-', '--organization', organization, '--json'];
    const command = ums(args, database().env, 'pipe');
    command.process.stdin!.write(lines(ids));
    while ((await exported(organization)).length > 200)
      expect({ ended: command.process.exitCode, stderr: command.stderr() }).toMatchObject({ ended: null });
    command.process.kill('SIGINT');
    expect(await command.exit).toBe(130);
    expect(JSON.parse(command.stdout())).toMatchObject({ ids: 500, deleted: 500, complete: false });
    expect(command.stderr()).toContain('Stopped by SIGINT. The users deleted so far stay deleted.');
  });

  it('leaves whole batches if it is killed, and goes on when it is run again', async () => {
    const { organization, ids } = await withPeople(3_000);
    const list = file('many.txt', lines(ids));
    const first = ums(['users', 'delete', '--ids', list, '--organization', organization], database().env);
    while (!first.stderr().includes('%')) await once(first.process.stderr!, 'data');
    first.process.kill('SIGKILL');
    await first.exit;
    const left = (await exported(organization)).length;
    expect(left % 500).toBe(0);
    expect(left).toBeLessThan(3_000);
    const { code, summary } = await deleteIds(list, organization);
    expect({ code, summary }).toMatchObject({
      code: left === 3_000 ? 0 : 1,
      summary: { ids: 3_000, deleted: left, refused: 3_000 - left, complete: true },
    });
    expect(await exported(organization)).toEqual([]);
  });
});
