/**
 * @slow it waits for receivers
 */
import type { ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import { aUser } from '../support/client';
import { itNotOn } from '../support/engine';
import { until } from '../support/until';
import { createWebhook as create, deliveriesOf, twoLooks, useWebhooks } from '../support/webhooks';

const { service, clock, receive } = useWebhooks([beforeEach, afterEach]);

itNotOn('embedded', 'sends the next events of an order while successes are being recorded', async () => {
  const [api, receiver] = [await service.client(), await receive()];
  const held: ServerResponse[] = [];
  receiver.answer((response) => void held.push(response));
  const { id } = await create(api, { url: receiver.url, ordering: 'organization' });
  const users = Array.from({ length: 30 }, () => aUser());
  await api.post('/api/v1/users/batch', { users }).expect(200);
  await receiver.until(1);
  await service.dataSource.transaction(async (manager) => {
    const lock = 'SELECT FROM webhooks WHERE organization_id = $1 AND id = $2 FOR UPDATE';
    await manager.query(lock, [api.organizationId, id]);
    receiver.answer((response) => response.writeHead(204).end());
    for (const response of held) response.writeHead(204).end();
    await receiver.until((received) => new Set(received.map(({ id }) => id)).size === 10);
  });
  await deliveriesOf(api, id, (all) => all.length === 30 && all.every(({ state }) => state === 'delivered'));
  const sequences = receiver.received.map(({ event }) => event.sequence);
  const first = sequences.filter((sequence, i) => sequences.indexOf(sequence) === i); // on a busy machine, some come again
  expect(first).toEqual([...first].sort((a, b) => a - b));
});

it('lets a webhook rest for half a minute whose turn fails, and no other one', async () => {
  const [api, receiver] = [await service.client(), await receive()];
  const damaged = await create(api, { url: receiver.url });
  await create(api, { url: receiver.url });
  await service.dataSource.query(
    `UPDATE webhooks SET secret = split_part(secret, '.', 1) || '.AAAA' WHERE organization_id = $1 AND id = $2`,
    [api.organizationId, damaged.id],
  );
  const failed = jest.spyOn(Logger.prototype, 'warn');
  const failures = () =>
    failed.mock.calls.filter(([{ message, id }]) => /^cannot send/.test(message) && id === damaged.id).length;
  for (let count = 1; count <= 3; count++) {
    await api.createUser();
    await receiver.until(count);
    await twoLooks(service);
    await until(failures);
  }
  expect(failures()).toBe(1);
  await clock.pass(10); // the rest passes by itself, too
  await twoLooks(service);
  expect(failures()).toBe(1);
  await clock.pass(21);
  await until(() => failures() === 2);
});
