import { OrganizationsService } from '../../src/organizations/organizations.service';
import { Client } from '../support/client';
import { ACME, expectFailure, GLOBEX, SUBJECT, useAssertions } from '../support/assertions';
import { formOf, requestToken } from '../support/children';

const { service, exchanged, clientWith } = useAssertions((issuer) => [
  `${issuer} sub=${SUBJECT} -> ${ACME} users:read`,
  `${issuer} sub=several -> ${ACME} users:read`,
  `${issuer} sub=several -> ${GLOBEX} users:read`,
]);
const organizations = () => service.app.get(OrganizationsService);

it('a client of a suspended organization is refused, and its children too', async () => {
  const api = await service.client();
  const { body } = await requestToken(service, formOf(api));
  const child = new Client(service.url, { value: body.access_token });
  await child.get('/api/v1/users').expect(200);

  await organizations().suspend(api.organizationId);
  expectFailure(await requestToken(service, formOf(api)), 'invalid_client', /suspended/);
  const refused = await child.get('/api/v1/users').expect(403);
  expect(refused.body.code).toBe('organization_suspended');

  await organizations().resume(api.organizationId);
  expect((await requestToken(service, formOf(api))).status).toBe(200);
  await child.get('/api/v1/users').expect(200);
});

it('an assertion for a suspended organization is refused, and makes no token', async () => {
  const client = clientWith(await exchanged());
  await client.get('/api/v1/users').expect(200);
  const count = async () =>
    (await service.dataSource.query('SELECT id FROM tokens WHERE organization_id = $1', [ACME])).length;
  const before = await count();

  await organizations().suspend(ACME);
  expectFailure(await exchanged(), 'invalid_grant', /suspended/);
  expect(await count()).toBe(before);
  await client.get('/api/v1/users').expect(403);
  // It may still have a token of another organization.
  const several = { sub: 'several' };
  expectFailure(await exchanged(several, { organization_id: ACME }), 'invalid_grant', /suspended/);
  expect((await exchanged(several, { organization_id: GLOBEX })).status).toBe(200);

  await organizations().resume(ACME);
  expect((await exchanged()).status).toBe(200);
});
