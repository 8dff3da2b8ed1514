/**
 * @only embedded: it tests which rules match
 */
import { newId } from '../../src/platform/database/id';
import { parseAdminRules } from '../../src/sign-in/oidc/admin-rules';
import { requireOrganizations } from '../../src/organizations/require-organizations';
import { ACME, expectRefused, GLOBEX, PUBLIC_URL, RULES, useSignIn } from '../support/sign-in';

const { issuer, service, env, browse, session, another } = useSignIn();

describe('POST /dashboard/session', () => {
  it.each(['https://evil.example', 'null', 'http://127.0.0.1:10', 'http://127.0.0.1'])(
    'refuses the origin %s',
    async (origin) => {
      const browser = browse();
      await browser.signIn();
      expect((await browser.fetchSession(undefined, origin)).status).toBe(403);
      const withoutOrigin = await browser.request(`${PUBLIC_URL}/dashboard/session`, { method: 'POST' });
      expect(withoutOrigin.status).toBe(403);
      expect((await browser.fetchSession()).status).toBe(201); // nothing of this has used it up
    },
  );

  it('lets the person choose between several organizations', async () => {
    issuer.claims = { groups: ['Readers', 'Globex', 'Writers'] };
    const browser = browse();
    await browser.signIn();
    const choices = await browser.fetchSession();
    expect([choices.status, await choices.json()]).toEqual([
      200,
      {
        organizations: [
          { id: ACME, name: 'Acme' },
          { id: GLOBEX, name: 'Globex' },
        ],
      },
    ]);
    const { organizationId } = await service.client();
    expect((await browser.fetchSession({ organizationId })).status).toBe(404);
    const chosen = await browser.fetchSession({ organizationId: ACME });
    expect(await chosen.json()).toMatchObject({ scopes: ['users:read', 'users:write'] });
    expect((await browser.fetchSession({ organizationId: GLOBEX })).status).toBe(401);
  });

  describe('with many organizations', () => {
    const organizations = Array.from({ length: 300 }, (_, i) => ({
      id: newId('org'),
      name: `Tenant ${1000 + i}`,
    }));
    const ids = organizations.map(({ id }) => id);
    const start = async (OIDC_ADMINS: string) => {
      const many = await another({ ...env, OIDC_ADMINS });
      await many.dataSource.query(
        `INSERT INTO organizations (id, name) SELECT * FROM unnest($1::text[], $2::text[])`,
        [ids, organizations.map(({ name }) => name)],
      );
      return many;
    };

    it('lets a person choose, one value of a claim being enough for all of them', async () => {
      issuer.claims = { groups: ['Support', ...Array.from({ length: 200 }, (_, i) => `Group ${i}`)] };
      const many = await start(ids.map((id) => `groups=Support -> ${id} users:read`).join());
      await requireOrganizations(many.app, { OIDC_ADMINS: parseAdminRules(`a=b -> ${ids[0]}`) });
      const browser = browse(many);
      await browser.signIn();
      expect(await (await browser.fetchSession()).json()).toEqual({ organizations });
      const chosen = await browser.fetchSession({ organizationId: ids[299] });
      expect([chosen.status, await chosen.json()]).toMatchObject([201, { scopes: ['users:read'] }]);
    });

    it('says so if more values match than a cookie can have', async () => {
      const groups = ids.map((id) => `Admins of ${id}`);
      issuer.claims = { groups };
      const many = await start(ids.map((id) => `groups=Admins of ${id} -> ${id}`).join());
      const browser = browse(many);
      expect(await expectRefused(browser, await browser.signIn(), 403)).toContain('Too many rules');
      issuer.claims = { groups: groups.slice(0, 20) };
      expect((await browser.signIn()).status).toBe(303);
    });

    it('leaves out those that were deleted since, and opens none', async () => {
      issuer.claims = { groups: ['Support'] };
      const [one, other] = organizations;
      const two = await start(`groups=Support -> ${one.id}, groups=Support -> ${other.id}`);
      const remove = (id: string) => two.dataSource.query(`DELETE FROM organizations WHERE id = $1`, [id]);
      const browser = browse(two);
      await browser.signIn();
      await remove(one.id);
      expect(await (await browser.fetchSession()).json()).toEqual({ organizations: [other] });
      await remove(other.id);
      for (const body of [undefined, { organizationId: other.id }])
        expect((await browser.fetchSession(body)).status).toBe(404);
    });
  });

  it('refuses other input', async () => {
    const browser = browse();
    await browser.signIn();
    expect((await browser.fetchSession({ organizationId: 'x' })).status).toBe(400);
    expect((await browser.fetchSession({ scopes: ['admin'] })).status).toBe(400);
  });
});

describe('the rules', () => {
  it('let nobody in whom they do not know, and name the claims, but no values', async () => {
    issuer.claims = { groups: ['<b>Guests</b>'], email: '<script>@example.com', name: '<img>' };
    const browser = browse();
    const page = await expectRefused(browser, await browser.signIn(), 403);
    expect(page).toContain('groups: sent, but no rule has its value');
    expect(page).toContain('email: not verified by the issuer');
    expect(page).not.toMatch(/Guests|<script>|<img>|@example/);
    issuer.claims = {};
    expect(await (await browser.signIn()).text()).toContain('groups: not sent by the issuer');
  });

  it('may name claims with any characters, which the page escapes', async () => {
    const odd = await another({ ...env, OIDC_ADMINS: `<b>'"&=x -> ${ACME}` });
    issuer.claims = { [`<b>'"&`]: 'y' };
    const browser = browse(odd);
    expect(await expectRefused(browser, await browser.signIn(), 403)).toContain(
      '<p>&lt;b&gt;&#39;&quot;&amp;: sent, but no rule has its value</p>',
    );
  });

  it.each([undefined, false, 'true', 1])(
    'take an address for no claim if email_verified is %j',
    async (email_verified) => {
      issuer.claims = { email: 'ada@example.com', email_verified };
      const browser = browse();
      await expectRefused(browser, await browser.signIn(), 403);
      issuer.claims = { email: 'ada@example.com', email_verified: true };
      await session();
    },
  );

  it('take no address from a list, which OpenID Connect does not define', async () => {
    issuer.claims = { email: ['eve@example.com', 'ada@example.com'], email_verified: true };
    const browser = browse();
    const page = await expectRefused(browser, await browser.signIn(), 403);
    expect(page).toContain('email: sent, but not as one address');
  });

  it('stop the start if they name an organization that does not exist', async () => {
    const unknown = newId('org');
    const check = (text: string) => requireOrganizations(service.app, { OIDC_ADMINS: parseAdminRules(text) });
    await check(RULES);
    await expect(check(`${RULES}, a=b -> ${unknown}`)).rejects.toThrow(
      `OIDC_ADMINS names organizations that do not exist: ${unknown}`,
    );
  });
});
