/**
 * @slow it starts processes
 * @only embedded postgres: a host migrates an empty database; test/citus/distribute.test.mjs distributes its tables
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { OrganizationsService, type Subscriber, TokensService, UsersService } from '../../src';
import { Mount } from '../../src/entry/embedding/mount';
import { countUndelivered } from '../../src/events/event-statistics';
import { EventCursors } from '../../src/events/subscribers/event-cursors';
import { Background } from '../../src/platform/background/background';
import { ClaimedWork } from '../../src/platform/background/claimed-work';
import { Database } from '../../src/platform/database/database';
import { describeOn, itNotOn } from '../support/engine';
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

describe('subscribers', () => {
  it('get events after the clock of the database was ahead by an hour, and has been set back', async () => {
    const all = recorder('all');
    const host = await start([all.subscriber]);
    const users = host.app.get(UsersService);
    const id = await newOrganization(host);
    await users.create(id, person(1));
    await until(() => all.of(id).length === 1);
    const isIdle = async () => (await cursorsOf(host, id))[0].sequence === 1;
    await until(isIdle);
    await host.dataSource.query(`UPDATE ums.event_cursors SET due_at = now() + interval '1 hour'`);

    await users.create(id, person(2));

    await until(() => all.of(id).length === 2);
  });

  it('get the events of every organization in their order, by types', async () => {
    const [all, created] = [recorder('all'), recorder('created', { types: ['user.created'] })];
    const host = await start([all.subscriber, created.subscriber]);
    const users = host.app.get(UsersService);
    const ids = [await newOrganization(host), await newOrganization(host)];
    for (const id of ids) {
      const user = await users.create(id, person(1));
      await users.update(id, user.id, { role: 'admin' });
      await users.delete(id, user.id);
      await host.app.get(TokensService).create(id, { name: 'Test', scopes: ['admin'] });
      await users.create(id, person(2));
    }

    for (const id of ids) await until(() => all.of(id).length >= 5 && created.of(id).length >= 2);

    for (const id of ids) {
      expect(all.of(id).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
      expect(
        all
          .of(id)
          .map(({ type }) => type)
          .sort(),
      ).toEqual(['token.created', 'user.created', 'user.created', 'user.deleted', 'user.updated']);
      expect(created.of(id).map(({ type }) => type)).toEqual(['user.created', 'user.created']);
    }
    expect(all.events).toHaveLength(10);
    expect(created.events[0]).toMatchObject({
      source: 'application',
      actor: { type: 'system', id: null, name: 'application' },
      data: { user: { ...person(1), version: 1 } },
    });
  });

  it('get events after the commit, and none of what was rolled back', async () => {
    const { subscriber, events } = recorder('billing');
    const host = await start([subscriber]);
    const [users, id] = [host.app.get(UsersService), await newOrganization(host)];
    const undone = host.dataSource.transaction(async (manager) => {
      await users.within(manager).create(id, person(1));
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await host.dataSource.transaction(async (manager) => {
      const { id: userId } = await users.within(manager).create(id, person(2));
      await users.within(manager).update(id, userId, { role: 'viewer' });
      expect(events).toEqual([]);
    });

    await until(() => events.length >= 2);

    expect(events.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['user.created', 1],
      ['user.updated', 2],
    ]);
    expect(events[0].data).toMatchObject({ user: person(2) });
  });

  itNotOn('embedded', 'get a failed event again, and its organization alone waits for that', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    let isBroken = true;
    let attempts = 0;
    const seen: [string, number][] = [];
    const handle: Subscriber['handle'] = async ({ sequence }, { organizationId }) => {
      if (organizationId === poisoned && sequence === 2) {
        attempts++;
        await until(() => seen.length >= 4); // or the first pause, of 5 seconds, might end before the others are seen
        if (isBroken) throw new Error('out of order');
      }
      seen.push([organizationId, sequence]);
    };
    const host = await start([{ name: 'billing', handle }]);
    const [poisoned, other] = [await newOrganization(host), await newOrganization(host)];
    const users = host.app.get(UsersService);
    for (const id of [poisoned, other]) for (let n = 1; n <= 3; n++) await users.create(id, person(n));

    await until(() => seen.length >= 4 && attempts === 1);
    const pauses = [];
    for (let failures = 1; failures <= 4; failures++) {
      await until(() => attempts === failures);
      let cursor;
      do
        [cursor] = await host.dataSource.query(
          `SELECT sequence::int, failures, extract(epoch FROM due_at - now())::float AS left
         FROM ums.event_cursors WHERE organization_id = $1`,
          [poisoned],
        );
      while (cursor.failures < failures);
      expect(cursor).toMatchObject({ sequence: 1, failures });
      pauses.push([5, 300, 1800, 7200].find((seconds) => Math.floor(cursor.left) <= seconds)); // due_at is rounded
      if (failures < 4) await endPauses(host);
    }
    await users.create(other, person(4));
    await until(() => seen.length >= 5);
    const own = host.app.get(Mount).service.get(Database);
    await until(async () => (await countUndelivered(own))[0].events <= 2); // the position follows the handler
    expect(await countUndelivered(own)).toEqual([{ subscriber: 'billing', events: 2 }]);
    isBroken = false;
    await endPauses(host);
    await until(() => seen.length >= 7);

    const of = (id: string) => seen.flatMap(([organizationId, n]) => (organizationId === id ? [n] : []));
    expect([of(poisoned), of(other)]).toEqual([
      [1, 2, 3],
      [1, 2, 3, 4],
    ]);
    expect(pauses).toEqual([5, 300, 1800, 7200]);
    expect(attempts).toBe(5);
    expect(JSON.stringify(warn.mock.calls)).toContain('"subscriber":"billing"');
    expect(JSON.stringify(warn.mock.calls)).not.toContain('example.com');
    warn.mockRestore();
    await until(async () => (await cursorsOf(host, poisoned))[0].sequence === 3);
    expect(await cursorsOf(host, poisoned)).toEqual([{ subscriber: 'billing', sequence: 3, failures: 0 }]);
  });

  it('that never finish an event are logged, and give their places to other organizations', async () => {
    const others = [
      'Date',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
    ] as const;
    jest.useFakeTimers({ doNotFake: [...others, 'setTimeout', 'clearTimeout'] }); // intervals alone
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    let finish!: () => void;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const begun: string[] = [];
    const seen: string[] = [];
    const handle: Subscriber['handle'] = async (_event, { organizationId }) => {
      begun.push(organizationId);
      if (hanging.includes(organizationId)) await finished;
      seen.push(organizationId);
    };
    const hanging: string[] = [];
    try {
      const host = await start([{ name: 'slow', handle }]);
      for (let n = 0; n < 10; n++) hanging.push(await newOrganization(host));
      const users = host.app.get(UsersService);
      for (const id of hanging) await users.create(id, person(1));
      await until(() => begun.length >= 10);
      const other = await newOrganization(host);
      await users.create(other, person(1));

      jest.advanceTimersByTime(61_000);
      await until(() => seen.length >= 1);

      expect(seen).toEqual([other]);
      expect(begun).toHaveLength(11);
      const late = warn.mock.calls.map(([line]) => line).filter(({ seconds }) => seconds !== undefined);
      expect(late.map(({ organizationId }) => organizationId).sort()).toEqual([...hanging].sort());
      expect(late[0]).toMatchObject({ subscriber: 'slow', eventId: expect.stringMatching(/^evt_/) });
      const own = host.app.get(Mount).service.get(Database);
      await until(async () => (await countUndelivered(own))[0].events === 10);
      finish();
      await until(() => seen.length >= 11);
    } finally {
      finish();
      warn.mockRestore();
      jest.useRealTimers();
    }
  });

  it('begin with what happens from then on under a new name, and go on where they were under an old one', async () => {
    const old = recorder('old');
    const first = await start([old.subscriber]);
    const id = await newOrganization(first);
    await first.app.get(UsersService).create(id, person(1));
    await until(() => old.events.length >= 1);
    await first.close();
    const without = await start([], { background: false });
    await without.app.get(UsersService).create(id, person(2));
    await without.close();

    const [again, fresh] = [recorder('old'), recorder('new')];
    const host = await start([again.subscriber, fresh.subscriber]);
    const later = await newOrganization(host);
    for (const organization of [id, later]) await host.app.get(UsersService).create(organization, person(3));
    await until(() => again.events.length >= 3 && fresh.events.length >= 2);

    expect(again.of(id).map(({ sequence }) => sequence)).toEqual([2, 3]);
    expect(fresh.of(id).map(({ sequence }) => sequence)).toEqual([3]);
    expect(fresh.of(later).map(({ sequence }) => sequence)).toEqual([1]);
  });

  it('miss nothing if a process without background work was the first to start', async () => {
    const { subscriber, events } = recorder('billing');
    const idle = await start([subscriber], { background: false });
    const id = await newOrganization(idle);
    await idle.app.get(UsersService).create(id, person(1));
    const background = idle.app.get(Mount).service.get(Background, { strict: false });
    expect(background['timers'].size).toBe(0); // nothing will deliver it
    expect(events).toEqual([]);
    await idle.close();

    await start([subscriber]);
    await until(() => events.length >= 1);

    expect(events).toMatchObject([{ type: 'user.created', sequence: 1 }]);
  });

  it('finish the event in progress before the application closes its connections, and begin no other', async () => {
    let finish!: () => void;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const seen: number[] = [];
    const handle: Subscriber['handle'] = async ({ sequence }) => {
      seen.push(sequence);
      if (sequence === 1) await finished;
    };
    const host = await start([{ name: 'billing', handle }]);
    const id = await newOrganization(host);
    for (let n = 1; n <= 2; n++) await host.app.get(UsersService).create(id, person(n));
    await until(() => seen.length === 1);
    const drain = jest.spyOn(ClaimedWork.prototype, 'drain');
    const closed = host.close();
    await until(() => drain.mock.calls.length > 0);
    drain.mockRestore();
    finish();
    await closed;
    expect(seen).toEqual([1]);

    await start([{ name: 'billing', handle }]);
    await until(() => seen.length >= 2);
    expect(seen).toEqual([1, 2]);
  });

  it('are forgotten with their organization', async () => {
    const { subscriber, events } = recorder('billing');
    const host = await start([subscriber]);
    const [users, id] = [host.app.get(UsersService), await newOrganization(host)];
    const user = await users.create(id, person(1));
    await users.delete(id, user.id);
    await until(() => events.length >= 2);
    await host.app.get(OrganizationsService).suspend(id);
    await host.app.get(OrganizationsService).delete(id);
    const cursors = host.app.get(Mount).service.get(EventCursors, { strict: false });
    expect(await cursors.claim('billing', id)).toBeUndefined(); // by a process that has found it before
    expect(await cursorsOf(host, id)).toEqual([]);
  });

  it('can only be claimed by one process at a time, and by another one when it is gone', async () => {
    const host = await start([recorder('billing').subscriber], { background: false });
    const cursors = host.app.get(Mount).service.get(EventCursors, { strict: false });
    await host.dataSource.query(`INSERT INTO ums.event_heads (organization_id) VALUES ('org_1')`);
    const claims = await Promise.all(Array.from({ length: 5 }, () => cursors.claim('billing', 'org_1')));
    const [first, ...others] = claims.filter((claim) => claim !== undefined);
    expect(others).toEqual([]);
    expect(await cursors.renew({ ...first, sequence: 7 })).toBe(true);
    expect(await cursors.claim('billing', 'org_1')).toBeUndefined();

    await endPauses(host); // as if the process had not renewed its claim
    const second = await cursors.claim('billing', 'org_1');

    expect(second).toMatchObject({ sequence: 7 });
    expect(await cursors.release({ ...first, sequence: 9 })).toBe(false);
    expect(await cursors.claim('billing', 'org_1')).toBeUndefined();
    expect(await cursors.release({ ...second!, sequence: 6 })).toBe(true); // a late renewal takes nothing back
    expect(await cursors.claim('billing', 'org_1')).toMatchObject({ sequence: 7 });
  });

  it('are refused at the start if two have the same name', async () => {
    const twice = () => recorder('twice').subscriber;
    await expect(start([twice(), twice()])).rejects.toThrow('Two subscribers have the name twice');
  });
});

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
