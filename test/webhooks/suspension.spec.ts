/**
 * @slow it waits for receivers
 */
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { Database } from '../../src/platform/database/database';
import { DeliveriesService } from '../../src/webhooks/deliveries/deliveries.service';
import { WebhookClaims } from '../../src/webhooks/deliveries/webhook-claims';
import { webhookLag } from '../../src/webhooks/webhook-lag';
import { UsersService } from '../../src/users/users.service';
import { aUser } from '../support/client';
import {
  createWebhook as create,
  deliveriesOf,
  LATER,
  twoLooks,
  useWebhooks,
  WEBHOOKS,
} from '../support/webhooks';
import { until } from '../support/until';

const { service, clock, receive } = useWebhooks([beforeEach, afterEach]);
const organizations = () => service.app.get(OrganizationsService);
const createUser = (organizationId: string) => service.app.get(UsersService).create(organizationId, aUser());

it('while an organization is suspended, nothing is sent to its webhooks, and what waits goes on afterwards', async () => {
  const [api, receiver] = [await service.client(), await receive()];
  const { organizationId } = api;
  const { id } = await create(api, { url: receiver.url, types: ['*'] });
  const healthy = await create(api, { url: receiver.url, types: ['user.purged'] });
  await receiver.until(2); // their creation
  receiver.answer((response) => response.writeHead(500, LATER).end());
  const retried = await api.createUser();
  await receiver.until(3);
  await deliveriesOf(api, id, ([delivery]) => delivery.attempts === 1);

  await organizations().suspend(organizationId);
  receiver.answer((response) => response.writeHead(204).end());
  const happened = await createUser(organizationId);
  const deliveries = service.app.get(DeliveriesService);
  for (const webhookId of [id, healthy.id]) await deliveries.test(organizationId, webhookId);
  const claim = jest.spyOn(service.app.get(WebhookClaims, { strict: false }), 'claim');
  await clock.pass(700); // the retry is due
  await twoLooks(service);
  expect(receiver.received).toHaveLength(3);
  expect(claim).not.toHaveBeenCalled(); // or processes would claim and release them all the time
  claim.mockRestore();
  expect(await webhookLag(service.app.get(Database))).toBe(0);

  await organizations().resume(organizationId);
  await receiver.until(9);
  const sent = receiver.received.slice(3).map(({ event }) => `${event.type} ${event.target?.id ?? ''}`);
  expect(sent.sort()).toEqual(
    [
      `organization.resumed ${organizationId}`,
      `organization.suspended ${organizationId}`,
      `user.created ${happened.id}`,
      `user.created ${retried.id}`,
      `webhook.test ${id}`,
      `webhook.test ${healthy.id}`,
    ].sort(),
  );
  await deliveriesOf(api, id, (all) => all.every(({ state }) => state === 'delivered'));
});

it('an organization that is suspended while its webhook is being called gets no further call', async () => {
  const [api, receiver] = [await service.client(), await receive()];
  const { organizationId } = api;
  let answer: () => void = () => {};
  receiver.answer((response) => (answer = () => response.writeHead(204).end()));
  await create(api, { url: receiver.url, ordering: 'organization' });
  for (let i = 0; i < 3; i++) await api.createUser();
  await receiver.until(1);
  await organizations().suspend(organizationId);
  answer();
  await twoLooks(service);
  expect(receiver.received).toHaveLength(1);

  receiver.answer((response) => response.writeHead(204).end());
  await organizations().resume(organizationId);
  await receiver.until(3);
});

it('webhooks of other organizations are not held up', async () => {
  const [suspended, other, receiver] = [await service.client(), await service.client(), await receive()];
  for (const api of [suspended, other]) await create(api, { url: receiver.url });
  await organizations().suspend(suspended.organizationId);
  await createUser(suspended.organizationId);
  const user = await other.createUser();
  await receiver.until(1);
  await twoLooks(service);
  expect(receiver.received.map(({ event }) => event.target.id)).toEqual([user.id]);
});

it('the order of events is kept', async () => {
  const [api, receiver] = [await service.client(), await receive()];
  await create(api, { url: receiver.url, ordering: 'organization' });
  const { organizationId } = api;
  const before = await api.createUser();
  await receiver.until(1);
  await organizations().suspend(organizationId);
  const during = [await createUser(organizationId), await createUser(organizationId)];
  await organizations().resume(organizationId);
  const after = await api.createUser();
  await receiver.until(4);
  expect(receiver.received.map(({ event }) => event.target.id)).toEqual(
    [before, ...during, after].map(({ id }) => id),
  );
});

it('a suspension of weeks does not count towards the five days after which a webhook is disabled', async () => {
  const [api, receiver] = [await service.client(), await receive()];
  const { organizationId } = api;
  receiver.answer((response) => response.writeHead(500).end());
  const { id } = await create(api, { url: receiver.url });
  for (let i = 1; i <= 2; i++) {
    await api.createUser();
    await receiver.until(i);
  }
  await deliveriesOf(api, id, (all) => all.every(({ attempts }) => attempts > 0));
  await organizations().suspend(organizationId);
  await clock.pass(20 * 24 * 60 * 60);
  await organizations().resume(organizationId);

  const count = receiver.received.length;
  await receiver.until(count + 2);
  await twoLooks(service);
  const webhook = async () => (await api.get(`${WEBHOOKS}/${id}`).expect(200)).body;
  expect(await webhook()).toMatchObject({ enabled: true, disabledReason: null });

  await clock.pass(6 * 24 * 60 * 60);
  await receiver.until(count + 3);
  await until(async () => !(await webhook()).enabled, 100);
  expect(await webhook()).toMatchObject({ enabled: false, disabledReason: 'failing' });
});
