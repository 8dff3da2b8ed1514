/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import { TokensService } from '../../src';
import { meetsWcag } from '../support/accessibility';
import { ACME, assertionOf, AUDIENCE, present } from '../support/assertions';
import { describeInBrowser } from '../support/browser';
import type { Client } from '../support/client';
import { nextMoment } from '../support/clock';
import {
  actionsOf,
  buttonOf,
  chooseAction,
  closed,
  focusOn,
  headingOf,
  panelOf,
  rowsOf,
  showAt,
  shows,
  signIn,
  submits,
  useDashboard,
} from '../support/dashboard';
import { type FakeIssuer, startIssuer } from '../support/issuer';
import { exchange } from '../support/oauth';

const SUBJECT = `repo:acme/crm:ref:refs/heads/${'feature-'.repeat(12)}`; // longer than a name

interface Parent {
  id: string;
  token: string;
}

describeInBrowser('issued tokens in the dashboard', () => {
  const env: NodeJS.ProcessEnv = { PUBLIC_URL: AUDIENCE };
  let issuer: FakeIssuer;
  // Its address must be known before the service starts.
  beforeAll(async () => {
    issuer = await startIssuer();
    env.TOKEN_ISSUERS = `${issuer.url} sub=${SUBJECT} -> ${ACME} users:read`;
  });
  const { service, enter } = useDashboard(env);
  beforeAll(() =>
    service().dataSource.query(`INSERT INTO organizations (id, name) VALUES ($1, 'Acme')`, [ACME]),
  );
  afterAll(() => issuer.down());

  const create = async (api: Client, fields: object = {}): Promise<Parent> =>
    (await api.post('/v1/tokens', { name: 'CI', scopes: ['admin'], ...fields }).expect(201)).body;

  /** Exchanges the value of a token, and returns that of the child. */
  const issue = async ({ id, token }: Parent): Promise<string> => {
    await nextMoment();
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: token };
    return (await exchange(service().url, form)).body.access_token;
  };

  const federate = async () =>
    expect((await present(service(), await assertionOf(issuer, { sub: SUBJECT }))).status).toBe(200);

  const personSignsIn = async (organizationId: string, issuer: string, name: string, subject: string) => {
    await nextMoment();
    const fields = { createdBy: { issuer, subject, name }, hours: 8 };
    const { token } = await service()
      .app.get(TokensService)
      .createFor(organizationId, { name: `${name}'s`, scopes: ['users:read'] }, fields);
    return token.id;
  };

  it('stand among sessions, each with a mark that says who has issued it', async () => {
    const api = await service().client({ organizationId: ACME });
    const parent = await create(api);
    await issue(parent);
    await nextMoment();
    await federate();
    await personSignsIn(ACME, issuer.url, 'Ada Lovelace', 'Ada Lovelace@corp.example');
    await personSignsIn(ACME, 'application', 'Grace', 'Grace'); // in a host application
    const { page } = await enter('tokens', api);
    const sessions = page.getByRole('checkbox', { name: 'Sessions and issued tokens' });
    await shows(page, '2 tokens on this page');
    await sessions.check();
    await shows(page, '6 tokens on this page');
    const rows = await rowsOf(page);
    const { host } = new URL(issuer.url);
    expect(rows.map((row) => /Issued by \S+|Signed in: \w+/.exec(row)?.[0])).toEqual([
      'Signed in: Grace',
      'Signed in: Ada',
      `Issued by ${host}`,
      undefined,
      undefined,
      undefined,
    ]);
    expect(rows[2]).toContain(SUBJECT.slice(0, 100));
    expect(rows[3]).toMatch(/^CI umt_/);
    expect(rows[4]).toMatch(/^umt_\S+ Issued just now admin .* in (1 hour|\d+ minutes) Active$/i); // below it
    expect(await page.locator('.chip.warning').count()).toBe(0); // that is how they are meant to end
    const [hint] = /umt_\S+/.exec(rows[4])!;
    for (const name of [SUBJECT.slice(0, 100), `CI (${hint})`]) {
      await actionsOf(page, name).first().click();
      expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Revoke']);
      await page.keyboard.press('Escape');
    }
    await meetsWcag(page);

    await page.getByRole('link', { name: hint }).click();
    await focusOn(headingOf(page, 'CI'));
    expect(new URL(page.url()).pathname).not.toBe(`/dashboard/tokens/${parent.id}`);
    await page.goBack();
    await shows(page, '6 tokens on this page');
    expect(await sessions.isChecked()).toBe(true);
  });

  it('are counted on the page of their token, listed from there, and revoked with it', async () => {
    const api = await service().client();
    const parent = await create(api);
    await create(api, { name: 'Other' });
    const values = [await issue(parent), await issue(parent), await issue(parent)];
    await api.withValue(values[0]).delete('/v1/tokens/current').expect(204);
    const { page } = await enter(`tokens/${parent.id}`, api);
    await meetsWcag(page);
    await panelOf(page, 'Token').getByRole('link', { name: '2 active tokens' }).click();

    await shows(page, '2 tokens on this page');
    await shows(page, 'Only tokens issued by CI');
    expect(await page.getByRole('radio', { name: 'active' }).isChecked()).toBe(true);
    expect(await page.getByRole('checkbox', { name: 'Sessions and issued tokens' }).count()).toBe(0);
    await meetsWcag(page);
    await page.getByRole('radio', { name: 'all' }).check();
    await shows(page, '3 tokens on this page');
    await page.reload();
    await signIn(page, api.tokenValue);
    await shows(page, '3 tokens on this page');
    await page.getByRole('radio', { name: 'expired' }).check();
    await shows(page, 'It has issued no expired tokens.');
    await buttonOf(page, 'Show all tokens').click();
    await focusOn(headingOf(page, 'API tokens'));
    await shows(page, '3 tokens on this page');
    expect((await rowsOf(page)).map((row) => row.split(' ')[0])).toEqual(['Other', 'CI', 'Test']);
    expect(new URL(page.url()).search).toBe('');

    await page.getByRole('link', { name: 'CI', exact: true }).click();
    await chooseAction(page, 'Revoke', 'CI');
    await shows(page, 'The 2 tokens that it has issued are revoked with it.');
    await meetsWcag(page);
    await submits(page, 'Revoke token');
    await panelOf(page, 'Token').getByText('revoked', { exact: true }).waitFor();
    expect(await page.getByText('active tokens').count()).toBe(0);
    for (const value of values) await api.withValue(value).get('/v1/tokens/current').expect(401);
  });

  it('have pages that lead to their token, where what they do is told; none is rotated', async () => {
    const api = await service().client({ organizationId: ACME });
    const parent = await create(api, { name: 'Nightly sync' });
    const child = api.withValue(await issue(parent));
    await child.createUser({ name: 'Grace Hopper' });
    const { body } = await child.get('/v1/tokens/current').expect(200);
    const { page } = await enter(`tokens/${body.id}`, api);
    await shows(page, 'What it does counts as done by the token that issued it.');
    const actions = async (name: string) => {
      await actionsOf(page, name).click();
      const items = await page.getByRole('menuitem').allInnerTexts();
      await page.keyboard.press('Escape');
      return items;
    };
    expect(await actions('Nightly sync')).toEqual(['Revoke']);
    await meetsWcag(page);
    const facts = panelOf(page, 'Token');
    expect(await facts.getByText('Issued', { exact: true }).count()).toBe(0);
    await facts.getByRole('link', { name: 'Nightly sync' }).click();
    await shows(page, 'Nightly sync created Grace Hopper');
    await panelOf(page, 'Token').getByRole('link', { name: '1 active token' }).waitFor();
    expect(await actions('Nightly sync')).toEqual(['Rotate', 'Revoke']);

    await federate();
    const { data } = await service().app.get(TokensService).list(ACME, { session: true, limit: 1 });
    await showAt(page, `tokens/${data[0].id}`);
    await shows(facts, issuer.url);
    await facts.getByText(SUBJECT, { exact: true }).waitFor();
    await shows(page, `The issuer ${issuer.url} created the token ${SUBJECT.slice(0, 100)}`);
    expect(await facts.getByText('who signed in').count()).toBe(0);
    expect(await actions(SUBJECT.slice(0, 100))).toEqual(['Revoke']);
    await meetsWcag(page);

    await showAt(page, `tokens/${await personSignsIn(ACME, issuer.url, 'Ada Lovelace', '00u1')}`);
    await shows(facts, 'by Ada Lovelace, who signed in');
    await shows(facts, 'No active tokens'); // it could issue some
    expect(await actions(`Ada Lovelace's`)).toEqual(['Revoke']);
  });

  it('stand below their token, and are folded if they are many', async () => {
    const api = await service().client();
    const parent = await create(api);
    const tokens = service().app.get(TokensService);
    for (let i = 0; i < 4; i++) await tokens.exchange(api.organizationId, parent.id);
    await nextMoment();
    await create(api, { name: 'Other' });
    const { page } = await enter('tokens?sessions', api);
    const names = async () =>
      (await rowsOf(page)).map((row) => row.split(' ')[0].replace(/umt_.*/, 'issued'));
    await shows(page, '7 tokens on this page');
    expect(await names()).toEqual(['Other', 'CI', 'Test']);
    const fold = buttonOf(page, '4 issued tokens');
    await fold.click();
    expect(await names()).toEqual(['Other', 'CI', 'issued', 'issued', 'issued', 'issued', 'Test']);
    await meetsWcag(page);
    await fold.click();
    await shows(page, '7 tokens on this page');
    expect(await names()).toEqual(['Other', 'CI', 'Test']);
  });

  it('are counted page by page, and hide no other token where many are', async () => {
    const api = await service().client();
    const parent = await create(api);
    await personSignsIn(api.organizationId, issuer.url, 'Ada', '00u1');
    const tokens = service().app.get(TokensService);
    for (let i = 0; i < 201; i++) await tokens.exchange(api.organizationId, parent.id);
    await create(api, { name: 'Other' });
    const inDays = `UPDATE tokens SET expires_at = now() + interval '3 days 1 hour' WHERE id = $1`;
    await service().dataSource.query(inDays, [api.tokenId]);
    const { page, requestedUrls } = await enter('', api);
    const ending = panelOf(page, 'Tokens that end soon').getByRole('list').getByRole('link');
    await ending.first().waitFor();
    expect(await ending.allInnerTexts()).toEqual(['Test']);
    await page.getByRole('link', { name: 'Activity', exact: true }).click();
    await page.getByLabel('Done by').focus();
    const option = page.getByLabel('Done by').locator('option:enabled');
    await option.nth(1).waitFor({ state: 'attached' });
    const names = (await option.allTextContents()).map((text) => text.replace(/ \(.*/, ''));
    expect(names).toEqual(['Any token', 'Other', 'CI', 'Test', "Ada's"]);
    await page.getByRole('link', { name: 'API tokens' }).click();
    await chooseAction(page, 'Revoke', 'CI');
    await shows(page, 'The 201 tokens that it has issued are revoked with it.');
    await submits(page, 'Revoke token');
    await closed(page);
    const ofTokens = requestedUrls
      .map((url) => new URL(url))
      .filter(({ pathname }) => /tokens$/.test(pathname));
    const read = ofTokens.map(({ searchParams }) => searchParams);
    expect(read.filter((query) => query.get('parent') === parent.id)).toHaveLength(2);
    // What looks for standing tokens does not read the others.
    const active = read.filter((query) => query.get('state') === 'active' && !query.has('parent'));
    expect(new Set(active.map((query) => query.get('session')))).toEqual(new Set(['false']));
  });

  it('are said to end also where they could not be counted', async () => {
    const api = await service().client();
    const parent = await create(api);
    await issue(parent);
    const { page, expectErrors } = await enter('tokens', api);
    const pattern = '**/tokens?**parent=**';
    expectErrors(500);
    await page.route(pattern, (route) =>
      route.fulfill({ status: 500, json: { code: 'internal_error', detail: 'It failed.', errors: [] } }),
    );
    await chooseAction(page, 'Revoke', 'CI');
    await shows(page, 'Tokens that it has issued are revoked with it.');
    await submits(page, 'Cancel');
    await page.getByRole('link', { name: 'CI', exact: true }).click();
    await shows(panelOf(page, 'Token'), 'It failed.');
    await page.unroute(pattern);
    await panelOf(page, 'Token').getByRole('button', { name: 'Try again' }).click();
    await panelOf(page, 'Token').getByRole('link', { name: '1 active token', exact: true }).waitFor();
  });
});
