/**
 * @slow it starts processes
 * @only embedded postgres: a host migrates an empty database; test/citus/distribute.test.mjs distributes its tables
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import { type Subscriber, UsersService } from '../../src';
import { Mount } from '../../src/entry/embedding/mount';
import { Database } from '../../src/platform/database/database';
import { describeOn } from '../support/engine';
import {
  cursorsOf,
  endPauses,
  newOrganization,
  person,
  recorder,
  startWorker,
  useWorker,
} from '../support/subscribers';
import { until } from '../support/until';

const { copy, start } = useWorker();

describeOn('postgres', 'subscribers in several processes', () => {
  it('get each event once, in order, while many write', async () => {
    const { subscriber, events, of } = recorder('billing');
    let atOnce = 0;
    const busy = new Set<string>();
    const handle: Subscriber['handle'] = async (event, context) => {
      if (busy.has(context.organizationId)) atOnce++;
      busy.add(context.organizationId);
      for (let turns = Math.random() * 10; turns > 0; turns--) await turn();
      busy.delete(context.organizationId);
      return subscriber.handle(event, context);
    };
    const host = await start([{ ...subscriber, handle }]);
    const second = await startWorker(copy, [{ ...subscriber, handle }]);
    try {
      const ids = await Promise.all(Array.from({ length: 15 }, () => newOrganization(host)));
      const writes = ids.flatMap((id) =>
        Array.from({ length: 20 }, (_, n) =>
          (n % 2 ? host : second).app.get(UsersService).create(id, person(n)),
        ),
      );
      await Promise.all(writes);
      await until(() => events.length >= 300);
      const oneToTwenty = Array.from({ length: 20 }, (_, n) => n + 1);
      for (const id of ids) expect(of(id).map(({ sequence }) => sequence)).toEqual(oneToTwenty);
      expect(atOnce).toBe(0);
    } finally {
      await second.close();
    }
  });

  it('begin with what happens from then on, too, if they could not be registered at the start', async () => {
    const former = await start([], { background: false });
    const id = await newOrganization(former);
    await former.app.get(UsersService).create(id, person(1));
    const { subscriber, events } = recorder('billing');
    const open = former.dataSource.createQueryRunner();
    await open.startTransaction();
    await open.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
    await open.query('LOCK TABLE ums.event_subscribers');
    const host = await startWorker(copy, [subscriber]);
    try {
      await open.commitTransaction();
      await until(async () => (await cursorsOf(host, id)).length > 0);
      await host.app.get(UsersService).create(id, person(2));
      await until(() => events.length > 0);
      expect(events.map(({ sequence }) => sequence)).toEqual([2]);
    } finally {
      if (open.isTransactionActive) await open.rollbackTransaction();
      await open.release();
      await host.close();
    }
  });

  it('go on in another one, in order, when theirs is killed', async () => {
    const processes: ChildProcess[] = [];
    const startProcess = async () => {
      const child = fork('test/support/subscriber.cjs', {
        env: { ...process.env, ...copy.env },
        silent: true,
      });
      processes.push(child);
      const seen: [string, number][] = [];
      createInterface(child.stdout!).on('line', (line) => seen.push(JSON.parse(line)));
      await once(child, 'message');
      return { child, of: (id: string) => seen.flatMap(([own, n]) => (own === id ? [n] : [])) };
    };
    const host = await start([], { background: false });
    try {
      const first = await startProcess();
      const ids = [await newOrganization(host), await newOrganization(host)];
      const users = host.app.get(UsersService);
      for (const id of ids) for (let n = 1; n <= 40; n++) await users.create(id, person(n));
      await until(() => ids.every((id) => first.of(id).length >= 5));
      first.child.kill('SIGKILL');
      await once(first.child, 'close');
      expect(ids.some((id) => first.of(id).length < 40)).toBe(true);
      const claims: { organization_id: string; claim: string }[] = await host.dataSource.query(
        'SELECT organization_id, claim FROM ums.event_cursors',
      );
      const areOfTheFirst = claims.map(
        (row) => `organization_id = '${row.organization_id}' AND claim = ${row.claim}`,
      );

      const second = await startProcess();
      await until(async () => {
        await endPauses(host, areOfTheFirst.join(' OR ')); // as 30 seconds would end the claims of the first process
        return ids.every((id) => second.of(id).at(-1) === 40 || first.of(id).length === 40);
      });

      for (const id of ids) {
        const [before, after] = [first.of(id), second.of(id)];
        expect(before).toEqual(before.map((_, i) => i + 1));
        if (after.length === 0) continue;
        expect(after).toEqual(after.map((_, i) => after[0] + i));
        // What was in progress comes again, and nothing is left out.
        expect([before.length, before.length + 1]).toContain(after[0]);
      }
    } finally {
      for (const child of processes) child.kill('SIGKILL');
    }
  });

  it('get what happens while each statement of their organization waits for longer than a turn lasts', async () => {
    const { subscriber, of } = recorder('billing');
    const host = await start([subscriber], { connections: 2 }); // one of them for each organization
    const id = await newOrganization(host);
    await host.app.get(UsersService).create(id, person(1));
    const own = host.app.get(Mount).service.get(Database);
    let isOver = false;
    const read = () => own.read(id, (manager) => manager.query('SELECT pg_sleep(1.2)'));
    const reading = (async () => {
      while (!isOver) await read();
    })();
    try {
      await until(() => of(id).length === 1);
    } finally {
      isOver = true;
      await reading;
    }
  });
});
