import { OrganizationsService } from '../../src/organizations/organizations.service';
import { ACME, expectRefused, GLOBEX, useSignIn } from '../support/sign-in';

const { issuer, service, browse, session } = useSignIn();
const organizations = () => service.app.get(OrganizationsService);
afterEach(async () => {
  for (const id of [ACME, GLOBEX]) await organizations().resume(id);
});

it('a person of a suspended organization gets a page that says so', async () => {
  await organizations().suspend(ACME);
  const browser = browse();
  const page = await expectRefused(browser, await browser.signIn(), 403);
  expect(page).toContain('<h1>Your organization is suspended</h1>');
  expect(page).toContain('ums organizations resume');

  await organizations().resume(ACME);
  await session();
});

it('nobody gets a token of an organization that was suspended during the sign-in', async () => {
  const browser = browse();
  expect((await browser.signIn()).status).toBe(303);
  await organizations().suspend(ACME);
  const refused = await browser.fetchSession();
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ code: 'organization_suspended' });

  await organizations().resume(ACME);
  expect((await browser.fetchSession()).status).toBe(201); // the sign-in has not been used up
});

it('a person of several organizations chooses among those that are not suspended', async () => {
  issuer.claims = { groups: ['Admins', 'Globex'] };
  await organizations().suspend(GLOBEX);
  const browser = browse();
  expect((await browser.signIn()).status).toBe(303);
  const choices = await browser.fetchSession();
  expect([choices.status, await choices.json()]).toEqual([
    200,
    { organizations: [{ id: ACME, name: 'Acme' }] },
  ]);
  expect((await browser.fetchSession({ organizationId: GLOBEX })).status).toBe(403);
  expect((await browser.fetchSession({ organizationId: ACME })).status).toBe(201);

  await organizations().suspend(ACME);
  const other = browse();
  await expectRefused(other, await other.signIn(), 403);
});
