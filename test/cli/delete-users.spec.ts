/**
 * @slow each command opens the database
 * @only embedded postgres: it tests the command; what is deleted are batches
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
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
    expect(stderr).toMatch(/\d+ %, 610 IDs, [\d,]+ IDs\/s/);
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

  it('shows the lines that it refuses, deletes the others, and fails', async () => {
    const { organization, ids } = await withPeople(2);
    const list = file('mixed.txt', `${ids[0]}\r\n\n  ${NOBODY}\nAda\u001b[31m\n${ids[0]}\n"${ids[1]}"\nid`);
    const { code, summary, stderr } = await deleteIds(list, organization);
    expect({ code, summary }).toMatchObject({ code: 1, summary: { ids: 6, deleted: 2, refused: 4 } });
    expect(stderr).toMatch(
      new RegExp(
        `Refused:\n  line 3: ${NOBODY}: there is no such user, or it has been deleted already\n` +
          '  line 4: Ada\\S+31m: is not a user ID, which begins with usr_\n' +
          `  line 5: ${ids[0]}: is in line 1 already\n` +
          '  line 7: id: is not a user ID, which begins with usr_\n$',
      ),
    );
    expect(stderr).not.toContain('\u001b[31m');
    expect(await exported(organization)).toEqual([]);
    const again = await deleteIds(list, organization);
    expect(again.summary).toMatchObject({ deleted: 0, refused: 6 });
    expect(again.stderr).toContain('it has been deleted already\n  and 1 more\n');
  });

  it('judges each line alone, in all batches, and shows only the first that it refuses', async () => {
    const { organization, ids } = await withPeople(600);
    const wrong = Array.from({ length: 600 }, (_, n) => `usr_${n}`);
    const list = file('batches.txt', lines([...ids, ids[0], ids[599], ...wrong, ids[500].toUpperCase()]));
    const { code, summary, stderr } = await deleteIds(list, organization);
    expect({ code, summary }).toMatchObject({ code: 1, summary: { ids: 1203, deleted: 600, refused: 603 } });
    expect(stderr).toContain(
      `Refused:\n  line 601: ${ids[0]}: is in line 1 already\n  line 602: ${ids[599]}: is in line 600 already\n` +
        '  line 603: usr_0: is not a user ID, which begins with usr_\n  line 604: usr_1: is not ',
    );
    expect(stderr).toMatch(/ {2}line 605: [^\n]*\n {2}and 598 more\n$/);
  });

  it('deletes the users of an export of their IDs', async () => {
    const { organization, ids } = await withPeople(3);
    const output = ['--columns', 'id', '--output', path('ids.csv'), '--organization', organization];
    expect((await job('users', 'export', ...output)).summary).toMatchObject({ users: 3 });
    expect(readFileSync(path('ids.csv'), 'utf8')).toBe(`id\n${lines(ids)}`);
    const { code, summary } = await deleteIds(path('ids.csv'), organization);
    expect({ code, summary }).toMatchObject({ code: 0, summary: { ids: 3, deleted: 3 } });
  });

  it('says what is wrong with a file, an organization or its options', async () => {
    const { organization, ids } = await withPeople(1);
    const cases: [args: string[], message: RegExp][] = [
      [['--ids', path('nowhere.txt'), '--organization', organization], /no such file or directory/],
      [
        ['--ids', file('long.txt', `${ids[0]}\n${'x'.repeat(2_000)}`), '--organization', organization],
        /Line 2 is not an ID/,
      ],
      [
        [
          '--ids',
          file('utf16.txt', Buffer.from(`\ufeff${ids[0]}\r\n`, 'utf16le')),
          '--organization',
          organization,
        ],
        /^The file is not UTF-8\. Save it as UTF-8, in PowerShell with -Encoding utf8\.\n$/,
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
    // It ends early only if it fails.
    const ended = first.exit.then(() => Promise.reject(new Error(first.stderr())));
    ended.catch(() => {});
    while (!first.stderr().includes('%')) await Promise.race([once(first.process.stderr!, 'data'), ended]);
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
