/**
 * @slow it starts processes
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runJob } from '../support/background';
import { emptyDirectory } from '../support/database';
import { describeOn } from '../support/engine';
import { upTo, useFeed } from '../support/feed';
import { run, ums } from '../support/process';
import { until } from '../support/until';

const { service, readFeed, expectComplete } = useFeed();

describeOn('postgres', 'events of commands', () => {
  it('name the command, and a dry run has none', async () => {
    const client = await service().client();
    const { organizationId } = client;
    const { env } = service();
    const directory = await emptyDirectory();
    const file = join(directory.env.DATA_DIR, 'people.ndjson');
    const people = upTo(3).map((n) => ({ name: `Person ${n}`, email: `${n}@example.com` }));
    const importAs = async (role: string, ...options: string[]) => {
      writeFileSync(file, people.map((person) => JSON.stringify({ ...person, role })).join('\n'));
      const args = ['users', 'import', file, '--organization', organizationId, ...options];
      expect((await run(args, env)).code).toBe(0);
    };
    await importAs('member', '--dry-run');
    expect((await readFeed(client)).events.map(({ type }) => type)).toEqual(['token.created']);
    await importAs('member');
    await importAs('member', '--mode', 'upsert'); // changes nothing
    await importAs('viewer', '--mode', 'upsert');
    await run(['seed', '--organization', organizationId, '--users', '2'], env);
    const options = ['--organization', organizationId, '--name', 'CI', '--scopes', 'users:read', '--json'];
    const { id } = JSON.parse((await run(['tokens', 'create', ...options], env)).stdout);
    await run(['tokens', 'rotate', id], env);
    await run(['tokens', 'revoke', id], env);
    const { events } = await readFeed(client);
    expect(events.slice(1).map(({ type, source, actor }) => `${type} ${source} ${actor.name}`)).toEqual([
      ...Array(3).fill('user.created cli ums users import'),
      ...Array(3).fill('user.updated cli ums users import'),
      ...Array(2).fill('user.created cli ums seed'),
      'token.created cli ums tokens create',
      'token.rotated cli ums tokens rotate',
      'token.revoked cli ums tokens revoke',
    ]);
    expect(events[4].data.previous).toEqual({ role: 'member' });
    await expectComplete(events, client);
    await directory.drop();
  });

  it('are printed as they happen', async () => {
    const client = await service().client();
    const deleteUser = async () => {
      const { id } = await client.createUser();
      await client.delete(`/api/v1/users/${id}`).set('X-On-Behalf-Of', 'ada@example.com').expect(204);
      return id;
    };
    await deleteUser();
    const tail = (...options: string[]) =>
      ums(['events', 'tail', '--organization', client.organizationId, ...options], service().env);
    const [all, latest] = [tail('--json', '--since', '2020-01-01T00:00:00Z'), tail('--type', 'user.deleted')];
    const lines = (command: typeof all) => command.stdout().split('\n').filter(Boolean);
    await until(() => lines(all).length >= 3);
    expect(
      lines(all)
        .map((line) => JSON.parse(line))
        .map(({ type, onBehalfOf }) => [type, onBehalfOf]),
    ).toEqual([
      ['token.created', null],
      ['user.created', null],
      ['user.deleted', 'ada@example.com'],
    ]);
    const ids: string[] = [];
    await until(async () => {
      if (lines(latest).length === 0) ids.push(await deleteUser()); // it may not have begun
      return lines(latest).length > 0;
    }, 200);
    ids.push(await deleteUser());
    const last = 3 + 2 * ids.length;
    await until(() => lines(all).length >= last && lines(latest).at(-1)!.includes(ids.at(-1)!));
    const printed = ids.slice(-lines(latest).length);
    expect(lines(latest)).toEqual(
      printed.map((id) =>
        expect.stringContaining(
          `  ${5 + 2 * ids.indexOf(id)}  user.deleted  ${id}  by Test, for ada@example.com`,
        ),
      ),
    );
    for (const command of [all, latest]) {
      command.process.kill('SIGINT');
      expect(await command.exit).toBe(0);
    }
  });

  it('are printed again after an outage, and what was removed meanwhile is said', async () => {
    const client = await service().client();
    const { organizationId } = client;
    const tail = ums(
      ['events', 'tail', '--organization', organizationId, '--since', '2020-01-01T00:00:00Z'],
      service().env,
    );
    await until(() => tail.stdout().includes('token.created'));

    const open = service().dataSource.createQueryRunner();
    await open.startTransaction();
    await open.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
    await open.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    await until(() => tail.stderr().includes('The database is not available.'));
    await open.rollbackTransaction();
    await open.release();
    const second = await client.createUser();
    await until(() => tail.stdout().includes(second.id));

    tail.process.kill('SIGSTOP');
    for (let n = 0; n < 3; n++) await client.createUser();
    await readFeed(client);
    await service().dataSource.query(
      `UPDATE events SET occurred_at = now() - interval '400 days' WHERE organization_id = $1 AND sequence <= 4`,
      [organizationId],
    );
    await runJob(service().app, 'remove old events');
    tail.process.kill('SIGCONT');
    await until(() => tail.stdout().includes('  5  user.created'));

    expect(tail.stderr()).toContain('The events 3 to 4 are missing here: they are no longer kept.');
    expect(tail.stdout()).not.toContain('  4  user.created');
    tail.process.kill('SIGINT');
    expect(await tail.exit).toBe(0);
  });
});
