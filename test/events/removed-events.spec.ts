/**
 * @slow it waits for transactions that hold others up
 */
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { EventNumbering } from '../../src/events/log/event-numbering';
import { TokenEvents } from '../../src/events/log/token-events';
import { TokensService } from '../../src/tokens/tokens.service';
import { UsersService } from '../../src/users/users.service';
import { runJob } from '../support/background';
import { aUser } from '../support/client';
import { describeOn } from '../support/engine';
import { upTo, useFeed } from '../support/feed';
import { untilBlocked } from '../support/until';

const { service } = useFeed();

describeOn('postgres', 'of an organization that is deleted, no event stays behind', () => {
  const numbering = () => service().app.get(EventNumbering, { strict: false });
  const newOrganization = async () => (await service().app.get(OrganizationsService).create('Test')).id;
  const insertEvent = `INSERT INTO events (organization_id, id, type, source, actor_name, target_id)
    VALUES ($1, 'evt_1', 'user.deleted', 'api', 'Test', 'usr_')`;

  const countsOf = async (organizationId: string) => {
    const tables = ['organizations', 'tokens', 'token_events', 'events', 'event_heads', 'event_cursors'];
    const left: string[] = [];
    for (const table of tables) {
      const key = table === 'organizations' ? 'id' : 'organization_id';
      const rows = await service().dataSource.query(`SELECT FROM ${table} WHERE ${key} = $1`, [
        organizationId,
      ]);
      if (rows.length > 0) left.push(`${rows.length} of ${table}`);
    }
    return left;
  };

  /** Deletes the organization and runs a task while a transaction holds up both, which is committed then. */
  const deleteMeanwhile = async (
    organizationId: string,
    [hold, ...more]: string[],
    task?: () => Promise<unknown>,
    isTaskFirst = false,
  ) => {
    await service().app.get(OrganizationsService).suspend(organizationId);
    const open = service().dataSource.createQueryRunner();
    await open.startTransaction();
    await open.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
    const deletion = () => service().app.get(OrganizationsService).delete(organizationId);
    try {
      for (const sql of [hold, ...more]) await open.query(sql, sql.includes('$1') ? [organizationId] : []);
      const running: Promise<unknown>[] = [];
      for (const next of isTaskFirst ? [task, deletion] : [deletion, task]) {
        if (!next) continue;
        running.push(next());
        await untilBlocked(service().dataSource, running.length);
      }
      await open.commitTransaction();
      await Promise.all(running);
    } finally {
      if (open.isTransactionActive) await open.rollbackTransaction();
      await open.release();
    }
  };

  /** Returns an organization with two events of a token, which has ended. */
  const organizationWithToken = async () => {
    const id = await newOrganization();
    const tokens = service().app.get(TokensService);
    const { token } = await tokens.create(id, { name: 'Test', scopes: ['users:read'] });
    await tokens.revoke(id, token.id);
    return id;
  };

  it('while events of its tokens are moved', async () => {
    const id = await organizationWithToken();
    const move = () => service().app.get(TokenEvents, { strict: false }).move(id);
    await deleteMeanwhile(id, ['LOCK TABLE events IN SHARE MODE'], move, true);
    expect(await countsOf(id)).toEqual([]);
  });

  it('while those that have just been moved are committed', async () => {
    const id = await organizationWithToken();
    const move = ['DELETE FROM token_events WHERE organization_id = $1', insertEvent];
    await deleteMeanwhile(id, move);
    expect(await countsOf(id)).toEqual([]);
  });

  it('while its last user is deleted', async () => {
    const id = await newOrganization();
    const user = await service().app.get(UsersService).create(id, aUser());
    await numbering().number(id);
    const deleteUser = [`DELETE FROM users WHERE organization_id = $1 AND id = '${user.id}'`, insertEvent];
    await deleteMeanwhile(id, deleteUser);
    expect(await countsOf(id)).toEqual([]);
  });

  it('while its first events are numbered', async () => {
    const id = await newOrganization();
    await service().dataSource.query(insertEvent, [id]);
    const hold = 'SELECT FROM events WHERE organization_id = $1 FOR UPDATE';
    await deleteMeanwhile(id, [hold], () => numbering().number(id));
    expect(await countsOf(id)).toEqual([]);
  });
});

describeOn('postgres', 'events that are too old', () => {
  it('are removed whole, however many processes do it at once', async () => {
    // Without a token, whose event would be one more to number.
    const { id: organizationId } = await service().app.get(OrganizationsService).create('Test');
    await service().dataSource.query(
      `INSERT INTO events (organization_id, id, sequence, occurred_at, type, source, actor_name, target_id)
       SELECT $1, 'evt_' || n, n, now() - interval '400 days', 'user.created', 'cli', 'burst', 'usr_' FROM generate_series(1, 4500) AS n`,
      [organizationId],
    );
    await service().dataSource.query(
      'INSERT INTO event_heads (organization_id, sequence) VALUES ($1, 4500)',
      [organizationId],
    );
    await Promise.all(upTo(3).map(() => runJob(service().app, 'remove old events')));
    const rows = await service().dataSource.query(
      `SELECT removed, (SELECT count(*)::integer FROM events WHERE organization_id = $1 AND sequence IS NOT NULL) AS events
       FROM event_heads WHERE organization_id = $1`,
      [organizationId],
    );
    expect(rows).toEqual([{ removed: '4500', events: 0 }]);
  });
});
