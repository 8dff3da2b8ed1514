import { runJob } from '../support/background';
import { sequences, useEvents } from '../support/events';

const { service, api, get, events } = useEvents();

describe('what is too old', () => {
  const removeOld = () => runJob(service().app, 'remove old events');

  it('goes, in the order of the numbers, which never begin again', async () => {
    for (let n = 0; n < 4; n++) await api().createUser();
    const { nextCursor: early } = await get('?limit=1');
    const { nextCursor: earlyDescending } = await get('?order=desc&limit=3');
    const { nextCursor: late } = await get('?limit=4');
    const age = (through: number, days: number) =>
      service().dataSource.query(
        `UPDATE events SET occurred_at = now() - $3 * interval '24 hours' WHERE organization_id = $1 AND sequence <= $2`,
        [api().organizationId, through, days],
      );
    await age(3, 364.9);
    await removeOld();
    expect(sequences(await events())).toEqual([1, 2, 3, 4, 5]);
    await age(3, 365.1);
    await removeOld();
    expect(sequences(await events())).toEqual([4, 5]);
    expect(sequences(await events('?order=desc'))).toEqual([5, 4]);
    for (const query of [`cursor=${early}`, `order=desc&cursor=${earlyDescending}`]) {
      const { body } = await api().get(`/api/v1/events?${query}`).expect(400);
      expect(body.errors).toMatchObject([{ field: 'cursor', code: 'out_of_range' }]);
    }
    expect(sequences(await events(`?cursor=${late}`))).toEqual([5]);
    await age(5, 366);
    await removeOld();
    expect(await events()).toEqual([]);
    await api().createUser();
    expect(sequences(await events())).toEqual([6]);
  });

  it('goes of every organization, however many there are', async () => {
    await api().createUser();
    await events();
    await service().dataSource.query(
      `UPDATE events SET occurred_at = now() - interval '400 days' WHERE organization_id = $1`,
      [api().organizationId],
    );
    await service().dataSource.query(
      `INSERT INTO event_heads (organization_id) SELECT 'org_' || lpad(n::text, 26, '0') FROM generate_series(1, 2000) AS n`,
    );
    await removeOld();
    expect(await events()).toEqual([]);
    await service().dataSource.query(`DELETE FROM event_heads WHERE organization_id LIKE 'org_000000%'`);
  });

  it('stays behind a younger event, so that there is no gap', async () => {
    await api().createUser();
    await events();
    await service().dataSource.query(
      `UPDATE events SET occurred_at = now() - interval '400 days' WHERE organization_id = $1 AND sequence = 2`,
      [api().organizationId],
    );
    await removeOld();
    expect(sequences(await events())).toEqual([1, 2]);
  });

  it('goes although somebody has deleted the oldest event by hand', async () => {
    for (let user = 0; user < 3; user++) await api().createUser();
    await events();
    await service().dataSource.query(`DELETE FROM events WHERE organization_id = $1 AND sequence = 1`, [
      api().organizationId,
    ]);
    await service().dataSource.query(
      `UPDATE events SET occurred_at = now() - interval '400 days' WHERE organization_id = $1 AND sequence <= 3`,
      [api().organizationId],
    );
    await removeOld();
    expect(sequences(await events())).toEqual([4]);
  });

  it('of one target and a type are read up to a limit at once', async () => {
    const target = `usr_${'1'.repeat(26)}`;
    await service().dataSource.query(
      `INSERT INTO events (organization_id, id, type, source, actor_name, target_id)
       SELECT $1, 'evt_' || lpad(n::text, 26, '0'), 'user.updated', 'api', 'Ada', $2 FROM generate_series(1, 10500) AS n`,
      [api().organizationId, target],
    );
    for (let sequence = 0; sequence < 10_500;) sequence = (await get('?order=desc&limit=1')).data[0].sequence;
    for (const order of ['asc', 'desc']) {
      const query = `?target=${target}&type=user.created&order=${order}`;
      const first = await get(query);
      expect(first.data).toEqual([]);
      const [position] = JSON.parse(Buffer.from(first.nextCursor.slice(16), 'base64url').toString());
      expect(Number(position)).toBe(order === 'asc' ? 10_001 : 502);
      const last = await get(`${query}&cursor=${first.nextCursor}`);
      expect(last.data).toEqual([]);
    }
  });

  it('is a cursor of a future that the database has lost', async () => {
    await api().createUser();
    const { nextCursor } = await get();
    await service().dataSource.query(
      `WITH gone AS (DELETE FROM events WHERE organization_id = $1 AND sequence = 2)
       UPDATE event_heads SET sequence = 1 WHERE organization_id = $1`,
      [api().organizationId],
    );
    const { body } = await api().get(`/api/v1/events?cursor=${nextCursor}`).expect(400);
    expect(body.errors).toMatchObject([{ field: 'cursor', code: 'out_of_range' }]);
  });

  it('is a cursor of an event whose number another one has got after a restored backup', async () => {
    await api().createUser();
    const { nextCursor } = await get();
    const lose = `DELETE FROM events WHERE organization_id = $1 AND sequence = 2`;
    await service().dataSource.query(lose, [api().organizationId]);
    await service().dataSource.query('UPDATE event_heads SET sequence = 1 WHERE organization_id = $1', [
      api().organizationId,
    ]);
    await api().createUser();
    await api().createUser();
    expect(sequences(await events())).toEqual([1, 2, 3]);
    const { body } = await api().get(`/api/v1/events?cursor=${nextCursor}`).expect(400);
    expect(body.errors).toMatchObject([{ field: 'cursor', code: 'out_of_range' }]);
  });
});
