/**
 * @slow it sends a thousand requests at once
 */
import { describeOn } from '../support/engine';
import { scimClient } from '../support/scim';
import { startService, type TestService } from '../support/service';

let service: TestService;
beforeAll(async () => (service = await startService({ RATE_LIMIT_PER_MINUTE: '100000' })));
afterAll(() => service.close());

describeOn('postgres', 'directories that write at once', () => {
  it('make one user of a thousand requests for one userName in mixed case', async () => {
    const scim = await scimClient(service);
    const statuses = await Promise.all(
      Array.from({ length: 1_000 }, async (_, n) => {
        const userName = n % 2 ? 'ADA@example.com' : 'ada@Example.com';
        const emails = [{ value: n % 3 ? 'ada@example.com' : `ada${n}@example.com` }];
        return (await scim.post('/Users', { userName, emails })).status;
      }),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(999);
  });

  it('give one address to one of many users, and their own to the others', async () => {
    const scim = await scimClient(service);
    const emails = [{ value: 'shared@example.com', primary: true }];
    const users = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const { body } = await scim.post('/Users', { userName: `user${n}@example.com`, emails }).expect(201);
        return (await scim.api.get(`/api/v1/users/${body.id}`).expect(200)).body.email;
      }),
    );
    expect(users.filter((email) => email === 'shared@example.com')).toHaveLength(1);
    expect(new Set(users).size).toBe(50);
  });

  it('and the API never give one name to two', async () => {
    const scim = await scimClient(service);
    for (let n = 0; n < 20; n++) {
      const name = `name${n}@example.com`;
      const [one, other] = await Promise.all([
        scim.post('/Users', { userName: name, emails: [{ value: `other${n}@example.com` }] }),
        scim.api.post('/api/v1/users', { name: 'Ada', email: name }),
      ]);
      expect([one.status, other.status].sort()).toEqual([201, 409]);
    }
  });
});
