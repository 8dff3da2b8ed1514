/**
 * @slow it starts hosts; a server is five times as fast
 * @only embedded postgres: a host migrates an empty database; test/citus/distribute.test.mjs distributes its tables
 */
import request from 'supertest';
import { OrganizationsService, UserManagementModule, UsersService, WebhooksService } from '../../src';
import { startHost } from '../support/host';
import { startReceiver, verified } from '../support/receiver';

const OPTIONS = { schema: 'ums', prefix: 'internal' };
const encryptionKey = Buffer.alloc(32, 7).toString('base64');

it('webhooks of a host have its key, and reach the networks that it allows', async () => {
  const receiver = await startReceiver();
  const webhooks = { encryptionKey, allowedNetworks: ['127.0.0.0/8'] };
  const host = await startHost([UserManagementModule.forRoot({ ...OPTIONS, webhooks })]);
  try {
    const { id } = await host.app.get(OrganizationsService).create('Test');
    const { secret } = await host.app.get(WebhooksService).create(id, { url: receiver.url, types: ['*'] });
    const user = await host.app.get(UsersService).create(id, { name: 'Ada', email: 'ada@example.com' });
    const isOfUser = ({ event }: { event: { type: string } }) => event.type === 'user.created';
    const message = (await receiver.until((received) => received.some(isOfUser))).find(isOfUser)!;
    expect(verified(secret, message)).toMatchObject({ source: 'application', target: { id: user.id } });
    await request(host.url).get('/backend/internal/api/v1/webhooks').expect(401);
  } finally {
    await host.close();
    await receiver.close();
  }
});

it('webhooks of a host that allows no networks have https', async () => {
  const host = await startHost([UserManagementModule.forRoot({ ...OPTIONS, webhooks: { encryptionKey } })]);
  try {
    const { id } = await host.app.get(OrganizationsService).create('Test');
    const webhooks = host.app.get(WebhooksService);
    const created = await webhooks.create(id, { url: 'https://example.com/', types: ['*'] });
    const insecure = { url: 'http://example.com/' };
    await expect(webhooks.create(id, { ...insecure, types: ['*'] })).rejects.toMatchObject({ status: 400 });
    await expect(webhooks.update(id, created.webhook.id, insecure)).rejects.toMatchObject({ status: 400 });
  } finally {
    await host.close();
  }
});

it('a host without a key can create none, and one that wants none has no routes for them', async () => {
  const host = await startHost([UserManagementModule.forRoot(OPTIONS)]);
  try {
    const { id } = await host.app.get(OrganizationsService).create('Test');
    const creation = host.app.get(WebhooksService).create(id, { url: 'https://example.com/', types: ['*'] });
    await expect(creation).rejects.toMatchObject({ status: 503 });
  } finally {
    await host.close();
  }
  const without = await startHost([UserManagementModule.forRoot({ ...OPTIONS, webhooks: false })]);
  try {
    await request(without.url).get('/backend/internal/api/v1/webhooks').expect(404);
    await request(without.url).get('/backend/internal/api/v1/users').expect(401);
  } finally {
    await without.close();
  }
});

it.each([
  [{ encryptionKey: 'short' }, 'webhooks.encryptionKey must be 32 bytes in base64'],
  [{ allowedNetworks: ['10.0.0.1'] }, 'webhooks.allowedNetworks must be networks such as 10.1.0.0/16'],
])('a host that gives %j does not start', async (webhooks, message) => {
  await expect(startHost([UserManagementModule.forRoot({ ...OPTIONS, webhooks })])).rejects.toThrow(message);
});
