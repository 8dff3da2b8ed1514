/**
 * @slow it starts processes
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { Cursor } from '../../src/entry/cli/tail/cursor';
import { Follower } from '../../src/entry/cli/tail/follower';
import { Output } from '../../src/entry/cli/tail/output';
import { runJob } from '../support/background';
import type { Client } from '../support/client';
import { copyOfTemplate } from '../support/database';
import { describeOn } from '../support/engine';
import { collector, run, type Ums, ums } from '../support/process';
import { useService } from '../support/service';
import { ownStatementsOf } from '../support/statements';
import { until } from '../support/until';

const service = useService({ RATE_LIMIT_PER_MINUTE: '1000000' });

let directory: string;
beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'ums-tail-'))));
afterAll(() => rmSync(directory, { recursive: true }));

let files = 0;
const newPath = () => join(directory, String(files++));

interface Printed {
  organizationId: string;
  id: string;
  sequence: number;
}

/** The events in an output, without a line that has been cut. */
const printedIn = (text: string): Printed[] =>
  text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });

const nameOf = ({ organizationId, sequence, id }: Printed) => `${organizationId} ${sequence} ${id}`;
const namesIn = (text: string) => new Set(printedIn(text).map(nameOf));

/** What the database has, once everything has a number. */
async function expectAllIn(text: string): Promise<void> {
  const rows: Printed[] = await service.dataSource.query(
    `SELECT organization_id AS "organizationId", sequence::int AS sequence, id FROM events ORDER BY organization_id, sequence`,
  );
  expect([...namesIn(text)].sort()).toEqual(rows.map(nameOf).sort());
}

/** Each organization's events are printed in their order, without one left out. */
function expectOrder(events: Printed[]): void {
  const last = new Map<string, number>();
  for (const { organizationId, sequence } of events) {
    expect([organizationId, sequence]).toEqual([
      organizationId,
      (last.get(organizationId) ?? sequence - 1) + 1,
    ]);
    last.set(organizationId, sequence);
  }
}

const tailAll = (...options: string[]) => run(['events', 'tail', '--all', ...options], service.env);
const follow = (...options: string[]) =>
  ums(['events', 'tail', '--all', '--follow', ...options], service.env);
const seed = async (client: Client, users: number) =>
  expect(
    (await run(['seed', '--organization', client.organizationId, '--users', String(users)], service.env))
      .code,
  ).toBe(0);
const deleteUser = async (client: Client) => {
  const { id } = await client.createUser();
  await client.delete(`/api/v1/users/${id}`).expect(204);
  return id;
};

async function stop(command: Ums): Promise<void> {
  command.process.kill('SIGTERM');
  expect({ code: await command.exit, stderr: command.stderr() }).toMatchObject({ code: 0 });
}

describeOn('postgres', 'ums events tail --all', () => {
  it('prints the events of all organizations from the oldest to the newest, each in its order', async () => {
    for (let n = 0; n < 3; n++) {
      const client = await service.client();
      for (let m = 0; m <= n; m++) await deleteUser(client);
    }
    await seed(await service.client(), 450);
    const { code, stdout, stderr } = await tailAll();
    expect({ code, last: stdout.at(-1) }).toEqual({ code: 0, last: '\n' });
    expect(stderr).toMatch(/\d+ events printed\.\n$/);
    expectOrder(printedIn(stdout));
    await expectAllIn(stdout);
    const [event] = printedIn(stdout);
    const client = await service.client({ organizationId: event.organizationId });
    const { body } = await client.get(`/api/v1/events/${event.id}`).expect(200);
    expect(event).toEqual({ organizationId: event.organizationId, ...body });
  });

  it('prints each event on one line, whatever a reader takes for the end of one', async () => {
    const client = await service.client();
    const name = 'Ada\u2028\u2029\u0085Lovelace';
    await client.createUser({ name });
    const { stdout } = await tailAll();
    const lines = stdout.trimEnd().split(/[\n\v\f\r\x85\u2028\u2029]/);
    expect(lines.map((line) => JSON.parse(line).data.user?.name)).toContain(name);
  });

  it('follows organizations that are new since, and continues after the events in the file', async () => {
    await service.client();
    const path = newPath();
    const first = follow('--cursor-file', path);
    await until(() => first.stdout().includes('\n'));
    const ids = [await deleteUser(await service.client())];
    await until(() => first.stdout().includes(`"user.deleted"`) && first.stdout().includes(ids[0]));
    await stop(first);
    await expectAllIn(first.stdout());

    ids.push(await deleteUser(await service.client()));
    const second = await tailAll('--cursor-file', path);
    expect(second.code).toBe(0);
    expect(printedIn(second.stdout)).toHaveLength(3);
    expect(second.stdout).toContain(ids[1]);
    expectOrder([...printedIn(first.stdout()), ...printedIn(second.stdout)]);
    expect((await tailAll('--cursor-file', path)).stdout).toBe('');
  });

  it('misses nothing when it is killed again and again', async () => {
    const path = newPath();
    let isWriting = true;
    const write = async () => {
      while (isWriting) {
        const client = await service.client();
        await seed(client, 60);
        await deleteUser(client);
      }
    };
    const written = write();
    let all = '';
    for (let n = 0; n < 6; n++) {
      const command = follow('--cursor-file', path);
      const enough = Math.random() * 300_000;
      await until(
        () => command.stdout().length > enough || (command.stdout().length > 0 && Math.random() < 0.01),
        2,
      );
      command.process.kill('SIGKILL');
      await command.exit;
      expectOrder(printedIn(command.stdout()));
      all += `${command.stdout()}\n`;
    }
    isWriting = false;
    await written;
    const rest = await tailAll('--cursor-file', path);
    expect(rest.code).toBe(0);
    await expectAllIn(all + rest.stdout);
  });

  it('keeps the file before what nobody has taken, and ends at SIGTERM although nobody reads', async () => {
    await seed(await service.client(), 2_000);
    const path = newPath();
    const args = ['dist/src/cli.js', 'events', 'tail', '--all', '--follow', '--cursor-file', path];
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH, ...service.env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let taken = '';
    child.stdout.setEncoding('utf8').pause();
    child.stdout.on('data', (chunk) => (taken += chunk)); // after the end
    await until(() => existsSync(path) && readFileSync(path, 'utf8').includes('evt_'));
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
    const rest = await tailAll('--cursor-file', path);
    expect(printedIn(rest.stdout).length).toBeGreaterThan(1_000);
    await expectAllIn(`${taken}\n${rest.stdout}`);
  });

  it('ends at SIGTERM although the file cannot be written, and prints again what it does not have', async () => {
    await service.client();
    const path = newPath();
    const command = follow('--cursor-file', path);
    await until(() => existsSync(path) && readFileSync(path, 'utf8').includes('evt_'));
    mkdirSync(`${path}.next`);
    const id = await deleteUser(await service.client());
    await until(() => command.stdout().includes(id) && command.stderr().includes('It will be tried again.'));
    await stop(command);
    expect(command.stderr()).toMatch(/cannot be written: .*\n$/);
    rmSync(`${path}.next`, { recursive: true });
    expect((await tailAll('--cursor-file', path)).stdout).toContain(id);
  });

  it('ends when its reader goes, also while nothing happens', async () => {
    await service.client();
    const events = printedIn((await tailAll()).stdout).length;
    const socket = follow();
    await until(() => printedIn(socket.stdout()).length === events);
    socket.process.stdout!.destroy();
    expect({ code: await socket.exit, stderr: socket.stderr() }).toEqual({
      code: 0,
      stderr: expect.not.stringContaining('Standard output'),
    });
    // A shell makes pipes. This reader takes all that there is.
    const command = `set -o pipefail; "$0" dist/src/cli.js events tail --all --follow | head -n ${events} >/dev/null`;
    const piped = spawnSync('bash', ['-c', command, process.execPath], {
      env: { PATH: process.env.PATH, ...service.env },
      encoding: 'utf8',
    });
    expect(piped).toMatchObject({ status: 0 });
  });

  it('refuses a file that it cannot continue or write, and an organization', async () => {
    await service.client();
    const path = newPath();
    expect((await tailAll('--cursor-file', path)).code).toBe(0);
    const whole = readFileSync(path, 'utf8');
    const other = await copyOfTemplate();
    const ofOther = newPath();
    const organization = JSON.parse(
      (await run(['organizations', 'create', 'x', '--json'], other.env)).stdout,
    ).id;
    await run(['seed', '--organization', organization, '--users', '1'], other.env);
    await run(['events', 'tail', '--all', '--cursor-file', ofOther], other.env);
    await other.drop();
    const file = (text: string) => {
      const path = newPath();
      writeFileSync(path, text);
      return path;
    };
    const link = newPath();
    symlinkSync(path, link);
    const rows: [string[], string][] = [
      [['--cursor-file', file('')], 'is damaged'],
      [['--cursor-file', file(whole.slice(0, -20))], 'is damaged'],
      [['--cursor-file', file(whole.replace('evt_', 'evt_0'))], 'is damaged'],
      [['--cursor-file', file('{"version":1}')], 'is damaged'],
      [['--cursor-file', ofOther], 'is of another database'],
      [['--cursor-file', directory], 'is not a regular file'],
      [['--cursor-file', link], 'is not a regular file'],
      [['--cursor-file', '/dev/null'], 'is not a regular file'],
      [['--cursor-file', join(directory, 'no/such/file')], 'cannot be written: ENOENT'],
      [['--cursor-file', '/proc/cursor'], 'cannot be written: '],
      [['--organization', 'org_x'], "'--all' cannot be used with option '--organization <id>'"],
    ];
    for (const [options, reason] of rows) {
      const { code, stdout, stderr } = await tailAll(...options);
      expect({ options, code, stdout, stderr }).toEqual({
        options,
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(reason),
      });
    }
    const alone = await run(['events', 'tail', '--cursor-file', path], service.env);
    expect(alone).toMatchObject({ code: 1, stderr: '--cursor-file is for --all.\n' });
  });

  it('ends when another process uses its file', async () => {
    const client = await service.client();
    const path = newPath();
    const both = [follow('--cursor-file', path), follow('--cursor-file', path)];
    const ended = await until(async () => {
      await client.createUser(); // the second one may not have begun
      return both.find(({ process }) => process.exitCode !== null);
    }, 200);
    expect({ code: await ended.exit, stderr: ended.stderr() }).toEqual({
      code: 1,
      stderr: expect.stringContaining('Another process has changed the cursor file'),
    });
    await stop(both.find((command) => command !== ended)!);
  });

  it('says which events are no longer kept, and that an organization has been deleted', async () => {
    const [removed, deleted] = [await service.client(), await service.client()];
    const path = newPath();
    expect((await tailAll('--cursor-file', path)).code).toBe(0);
    for (let n = 0; n < 3; n++) await removed.createUser();
    await removed.get('/api/v1/events').expect(200); // numbers them
    await service.dataSource.query(
      `UPDATE events SET occurred_at = now() - interval '400 days' WHERE organization_id = $1 AND sequence <= 3`,
      [removed.organizationId],
    );
    await runJob(service.app, 'remove old events');
    const organizations = service.app.get(OrganizationsService);
    await organizations.suspend(deleted.organizationId);
    await organizations.delete(deleted.organizationId);
    const { code, stdout, stderr } = await tailAll('--cursor-file', path);
    expect(code).toBe(0);
    expect(printedIn(stdout)).toMatchObject([{ organizationId: removed.organizationId, sequence: 4 }]);
    expect(stderr).toContain(`The events 2 to 3 of ${removed.organizationId} are missing here`);
    expect(stderr).toContain(
      `${deleted.organizationId} has been deleted. Whatever it had after its event 1 is`,
    );
    expect(readFileSync(path, 'utf8')).not.toContain(deleted.organizationId);
    // From the beginning, nothing is missing.
    expect((await tailAll()).stderr).not.toContain('missing');
  });

  it('refuses the file after a backup was restored that is older, even if other events have its numbers', async () => {
    const client = await service.client();
    await client.createUser();
    const path = newPath();
    expect((await tailAll('--cursor-file', path)).code).toBe(0);
    const restored = async (...statements: string[]) => {
      for (const statement of statements) await service.dataSource.query(statement, [client.organizationId]);
      const { code, stdout, stderr } = await tailAll('--cursor-file', path);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(`a restored backup does not have, in ${client.organizationId}.`);
    };
    await restored(
      'DELETE FROM events WHERE organization_id = $1 AND sequence = 2',
      'UPDATE event_heads SET sequence = 1 WHERE organization_id = $1',
    );
    await client.createUser();
    await client.get('/api/v1/events').expect(200);
    await restored();
    await client.createUser();
    await client.get('/api/v1/events').expect(200);
    await restored();
  });

  it('completes no line that a killed process has begun in a file, and loses nothing to a full disk', async () => {
    const client = await service.client();
    await seed(client, 500);
    let whole = '';
    const lengthOfLastRead = () => printedIn(whole).length % 200;
    do {
      await client.createUser();
      whole = (await tailAll()).stdout;
    } while (lengthOfLastRead() < 10);
    const [path, output] = [newPath(), newPath()];
    const intoFile = async (limit: string | number) => {
      const command = `ulimit -f ${limit}; exec "$0" dist/src/cli.js events tail --all --cursor-file "$1" >>"$2"`;
      const child = spawn('bash', ['-c', command, process.execPath, path, output], {
        env: { PATH: process.env.PATH, ...service.env },
        stdio: 'ignore',
      });
      const [code] = await once(child, 'exit');
      return code;
    };
    // The last write is cut, and none after it would fail.
    expect(await intoFile(Math.floor((Buffer.byteLength(whole) - 1) / 1024))).toBe(1);
    expect(await intoFile('unlimited')).toBe(0);
    truncateSync(output, readFileSync(output).length - 10);
    const last = await deleteUser(await service.client());
    expect(await intoFile('unlimited')).toBe(0);
    const text = readFileSync(output, 'utf8');
    expect(text).toContain(last);
    const cut = text.split('\n').filter((line) => line !== '' && printedIn(line).length === 0);
    expect(cut).toHaveLength(2);
    const removed = /"id":"(\w+)"/.exec(cut[1])![1];
    const [{ organizationId, sequence }] = await service.dataSource.query(
      `SELECT organization_id AS "organizationId", sequence::int AS sequence FROM events WHERE id = $1`,
      [removed],
    );
    await expectAllIn(`${text}\n${JSON.stringify({ organizationId, sequence, id: removed })}`);
  });

  it('asks as much of a thousand silent organizations as of one', async () => {
    const follower = new Follower(
      service.app,
      new Cursor(undefined, () => {}),
      new Output(collector()),
      () => {},
    );
    await follower.numberAll();
    await follower.begin();
    while (await follower.printSome());
    const atRest = async () =>
      (await ownStatementsOf(service.dataSource, () => follower.look())).map(({ sql }) => sql);
    const before = await atRest();
    expect(before).toHaveLength(3);
    await service.dataSource.query(
      `INSERT INTO event_heads (organization_id, sequence) SELECT 'org_silent' || lpad(n::text, 4, '0'), 0 FROM generate_series(1, 1000) AS n`,
    );
    expect((await atRest()).length).toBe(4); // one for all heads that have changed
    expect(await atRest()).toEqual(before);
    await service.dataSource.query(`DELETE FROM event_heads WHERE organization_id LIKE 'org_silent%'`);
  });
});
