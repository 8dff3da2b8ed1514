import { setImmediate as turn } from 'node:timers/promises';
import { networkOf } from '../../src/platform/http/server/network';
import { type NetworkLimit, NetworkLimiter } from '../../src/platform/rate-limit/network-limiter';
import { runJob } from '../support/background';
import { describeOn, itNotOn } from '../support/engine';
import { useService } from '../support/service';
import { until } from '../support/until';

const LIMIT = 60;
const SIGN_INS: NetworkLimit = { name: 'sign-in', limit: LIMIT, per: 'hour' };

const service = useService({}, { limits: 'real' });
let limiter: NetworkLimiter;
beforeAll(() => void (limiter = service.app.get(NetworkLimiter)));

let addresses = 0;

/** An address that has not been counted yet. */
const newAddress = () => `10.${++addresses >> 8}.${addresses & 255}.1`;

/** How many of so many hits at once are admitted. */
async function admitted(count: number, address: string): Promise<number> {
  const hits = await Promise.all(Array.from({ length: count }, () => limiter.count(address, SIGN_INS)));
  return hits.filter(({ isBlocked }) => !isBlocked).length;
}

const anHourLater = () =>
  service.dataSource.query(
    `UPDATE rate_limit_windows SET started_ms = started_ms - 3600000 WHERE organization_id = ''`,
  );

describe('NetworkLimiter', () => {
  it('admits exactly as many hits as the limit in an hour from an address, and then none', async () => {
    const address = newAddress();
    expect((await admitted(50, address)) + (await admitted(50, address))).toBe(LIMIT);
    const { isBlocked, timeToExpire } = await limiter.count(address, SIGN_INS);
    expect(isBlocked).toBe(true);
    expect(timeToExpire).toBeGreaterThan(3500);
    expect(timeToExpire).toBeLessThanOrEqual(3600);
    expect(await admitted(1, newAddress())).toBe(1);
  });

  it('asks nothing of the database once the limit is exceeded', async () => {
    const address = newAddress();
    await admitted(LIMIT + 1, address);
    const queries = jest.spyOn(service.dataSource, 'query');
    expect(await admitted(1, address)).toBe(0);
    expect(queries.mock.calls.filter(([sql]) => sql.includes('rate_limit_windows'))).toEqual([]);
    queries.mockRestore();
  });

  it('counts a whole /64 of IPv6 as one, and an IPv4 address in IPv6 as itself', async () => {
    let sum = 0;
    for (let i = 0; i <= LIMIT; i++) sum += await admitted(1, `2001:db8:1:2:${i}::1`);
    expect(sum).toBe(LIMIT);
    expect(await admitted(1, '2001:db8:1:3::1')).toBe(1);
    const address = newAddress();
    await admitted(LIMIT, address);
    expect(await admitted(1, `::ffff:${address}`)).toBe(0);
  });

  it('begins anew after an hour', async () => {
    const address = newAddress();
    expect(await admitted(LIMIT - 1, address)).toBe(LIMIT - 1);
    await anHourLater();
    expect(await admitted(LIMIT + 1, address)).toBe(LIMIT);
  });

  it('keeps no address, and for no longer than it counts', async () => {
    const address = newAddress();
    await limiter.count(address, SIGN_INS);
    const rows = () =>
      service.dataSource.query(
        `SELECT w::text AS row FROM rate_limit_windows AS w WHERE organization_id = ''`,
      );
    expect(JSON.stringify(await rows())).not.toContain(address);
    await anHourLater();
    await limiter.count(newAddress(), SIGN_INS);
    await runJob(service.app, 'delete expired windows of networks');
    expect(await rows()).toHaveLength(1);
  });
});

describeOn('postgres', 'hits that wait for the database', () => {
  // It watches the locks of a single server.
  itNotOn('citus', 'leave half of the connections to callers with a token', async () => {
    const address = newAddress();
    await limiter.count(address, SIGN_INS);
    const holder = service.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    await holder.query(`SELECT FROM rate_limit_windows WHERE organization_id = '' FOR UPDATE`);
    let ended = 0;
    const failures: Promise<boolean>[] = [];
    for (let i = 0; i < 15; i++) {
      const failed = limiter.count(address, SIGN_INS).then(
        () => false,
        () => true,
      );
      failures.push(failed.finally(() => ended++));
      await turn(); // those of one turn of the event loop are counted together
    }
    let [most, before] = [0, 0];
    await until(async () => {
      const [{ waiting }] = await service.dataSource.query(
        `SELECT count(*)::integer AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      most = Math.max(most, Math.min(waiting, before)); // one that has just been given up may still be listed, but not twice
      before = waiting;
      return ended === failures.length;
    });
    expect(await Promise.all(failures)).toEqual(Array(15).fill(true));
    await holder.rollbackTransaction();
    await holder.release();
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(5);
  });
});

it('networkOf() is an IPv4 address, or a /64 of IPv6, whichever way it is written', () => {
  const rows: [string | undefined, string][] = [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['2001:DB8::1', '2001:db8:0:0'],
    ['2001:db8:0:0:ffff::', '2001:db8:0:0'],
    ['2001:0db8:0001:0002:3:4:5:6', '2001:db8:1:2'],
    ['::1', '0:0:0:0'],
    ['1::', '1:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['192.0.2.1:443', '192.0.2.1'],
    ['[2001:DB8::1]:443', '2001:db8:0:0'],
    ['[::1]', '0:0:0:0'],
    ['64:ff9b::c000:201', '192.0.2.1'],
    ['64:ff9b::192.0.2.2', '192.0.2.2'],
    ['64:ff9b:1::c000:201', '64:ff9b:1:0'],
    ['192.0.2.1:443:443', 'unknown'],
    ['example.com:443', 'unknown'],
    ['', 'unknown'],
    [undefined, 'unknown'],
  ];
  for (const [address, network] of rows) expect([address, networkOf(address)]).toEqual([address, network]);
});
