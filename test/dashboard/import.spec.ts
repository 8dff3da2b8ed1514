/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { TokensService } from '../../src';
import { accessibilityFaults, prepareAccessibility } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import type { Client } from '../support/client';
import { ASKS_BEFORE_UNLOAD, dialogButton, toUsers, useDashboard } from '../support/dashboard';

const csvOf = (name: string, content: string | Buffer) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(content),
});

const people = (count: number) =>
  ['email,name', ...Array.from({ length: count }, (_, n) => `p${n}@example.com,Person ${n}`)].join('\n');

const usersOf = async (api: Client) => (await api.get('/api/v1/users?sort=email').expect(200)).body.data;

describeInBrowser('the import of the dashboard', () => {
  const { service, visit } = useDashboard();
  const openImport = async (prepare?: (api: Client, page: Page) => Promise<unknown>) => {
    const opened = await visit({}, prepare);
    await toUsers(opened.page);
    await opened.page.getByRole('button', { name: 'Import users' }).click();
    return opened;
  };
  const choose = (page: Page, content: string | Buffer, name = 'people.csv') =>
    page.getByLabel('CSV file').setInputFiles(csvOf(name, content));
  const countOf = async ({ organizationId }: Client): Promise<number> => {
    const sql = 'SELECT count(*)::int FROM users WHERE organization_id = $1';
    return (await service().dataSource.query(sql, [organizationId]))[0].count;
  };
  const downloaded = async (page: Page) => {
    const download = page.waitForEvent('download');
    await dialogButton(page, 'Download refused rows').click();
    const file = await download;
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
  };

  it('shows what columns become, tries the file out, imports it and offers the refused rows', async () => {
    const { page, api, expectErrors } = await openImport((api) =>
      api.createUser({ email: 'known@example.com' }),
    );
    expectErrors(400); // the NUL refuses the whole batch, which is sent again without it
    await choose(
      page,
      '\ufeffName;Mail;Role;Metadata;Phone\r\n' +
        '"Smith; ""Jo""";jo@example.com;viewer;"{""a"":\n ""x""}";1\r\n' +
        'Known;known@example.com;;;\r\n' +
        ';;;;\r\n' +
        '=Bad;nobody;;;\r\n' +
        'Short;short@example.com\r\n' +
        'Twice;JO@example.com;;;\r\n' +
        'NUL\0;nul@example.com;;;\r\n' +
        'Odd;odd@example.com;;{no};\r\n' +
        'Last;last@example.com;;;',
    );
    await page.getByText('Choose the column that has the email.').waitFor();
    expect(await page.getByLabel('Name becomes').inputValue()).toBe('name');
    expect(await page.getByLabel('Phone becomes').inputValue()).toBe('');
    await page.getByText('Smith; "Jo"').waitFor();
    await page.getByLabel('Mail becomes').selectOption('email');
    await dialogButton(page, 'Try it out').click();

    await page.getByRole('heading', { name: 'This would happen' }).waitFor();
    await page.getByText('2 to create · 0 to change · 0 unchanged · 6 refused').waitFor();
    expect(await usersOf(api)).toHaveLength(1);
    const table = page.getByRole('dialog').getByRole('table');
    const reasons = (await table.getByRole('row').allInnerTexts())
      .slice(1)
      .map((text) => text.replace(/\s+/g, ' '));
    expect(reasons).toEqual([
      '4 email is already used by another user of the organization',
      '6 email must be an email address',
      '7 row has 2 cells, but the header has 5',
      '8 email appears in an earlier row of the file',
      '9 name must not contain a NUL or a lone surrogate',
      '10 metadata must be JSON',
    ]);

    await dialogButton(page, 'Import 2 users').click();
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    const { name, text } = await downloaded(page);
    expect(name).toBe('people.refused.csv');
    expect(text).toMatch(/^\ufeffrefused_because;Name;Mail;Role;Metadata;Phone\n/);
    expect(text).toContain("line 6: email must be an email address;'=Bad;nobody;;;\n");
    expect(text).toContain('line 7: row has 2 cells, but the header has 5;Short;short@example.com\n');
    await dialogButton(page, 'Close').click();
    await page.getByText('3 users on this page').waitFor();
    expect(await usersOf(api)).toMatchObject([
      { name: 'Smith; "Jo"', role: 'viewer', metadata: { a: 'x' } },
      { name: 'Ada Lovelace', email: 'known@example.com' },
      { name: 'Last', email: 'last@example.com', role: 'member', metadata: {} },
    ]);
  });

  it('imports corrected rows, and changes users that exist', async () => {
    const { page, api } = await openImport((api) =>
      api.createUser({ name: 'Ada', email: 'ada@example.com' }),
    );
    await choose(page, 'refused_because\temail\trole\nline 2: no\tada@example.com\tadmin\n', 'a.tsv');
    await page.getByLabel('If the user already exists').selectOption('email');
    await dialogButton(page, 'Try it out').click();
    await dialogButton(page, 'Import 1 user').click();
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    await page.getByText('0 created · 1 changed · 0 unchanged · 0 refused').waitFor();
    expect(await usersOf(api)).toMatchObject([{ name: 'Ada', role: 'admin', version: 2 }]);
  });

  it('finds users by their external ids, and changes their emails', async () => {
    const { page, api } = await openImport((api) => api.createUser({ name: 'Ada', externalId: 'E-1' }));
    await choose(
      page,
      'External ID,E-Mail,Name\n E-1,new@example.com,\nE-2,bob@example.com,Bob\nE-1,,Twice\n,x@example.com,None',
    );
    expect(await page.getByLabel('External ID becomes').inputValue()).toBe('externalId');
    expect(await page.getByLabel('E-Mail becomes').inputValue()).toBe('email');
    await page.getByLabel('If the user already exists').selectOption('externalId');
    await page.getByLabel('External ID becomes').selectOption('');
    await page.getByText('Choose the column that has the external ID.').waitFor();
    await page.getByLabel('External ID becomes').selectOption('externalId');
    await dialogButton(page, 'Try it out').click();
    await page.getByText('1 to create · 1 to change · 0 unchanged · 2 refused').waitFor();
    await page.getByText('externalId appears in an earlier row of the file').waitFor();
    await page.getByText('externalId is required').waitFor();
    await dialogButton(page, 'Import 2 users').click();
    await page.getByText('1 created · 1 changed · 0 unchanged · 2 refused').waitFor();
    expect(await usersOf(api)).toMatchObject([
      { externalId: 'E-2', name: 'Bob', email: 'bob@example.com' },
      { externalId: 'E-1', name: 'Ada', email: 'new@example.com', version: 2 },
    ]);
  });

  it('says so if the file is not one', async () => {
    const { page } = await openImport();
    await choose(page, Buffer.from('name,email\nJ\xfcrgen,j@example.com\n', 'latin1'));
    await page.getByText('The file is not UTF-8.').waitFor();
    await choose(page, '\n\n');
    await page.getByText('The file is empty.').waitFor();
    await choose(page, 'email,name\na@example.com,"Ada\n');
    await page.getByText('The quote that opens at line 2 is never closed.').waitFor();
    await choose(page, 'email,name\n');
    await page.getByText('The file has no rows below its header.').waitFor();
    await choose(page, `${people(9)}\n"`);
    await dialogButton(page, 'Try it out').click();
    await page.getByText('The quote that opens at line 11 is never closed.').waitFor();
    await page.getByRole('heading', { name: 'Failed; nothing was written' }).waitFor();
  });

  it('sends several batches, and refuses an email that stands in two of them', async () => {
    const { page, api, requestedUrls } = await openImport();
    await choose(page, `${people(1_200)}\np3@example.com,Again\n`);
    await dialogButton(page, 'Try it out').click();
    await page.getByText('email appears in an earlier row of the file').waitFor();
    await dialogButton(page, 'Import 1,200 users').click();
    await page.getByText('1,200 created · 0 changed · 0 unchanged · 1 refused').waitFor();
    expect(requestedUrls.filter((url) => url.endsWith('/batch'))).toHaveLength(6);
    const [{ count }] = await service().dataSource.query(
      'SELECT count(*)::int FROM users WHERE organization_id = $1',
      [api.organizationId],
    );
    expect(count).toBe(1_200);
  });

  it('waits out the rate limit, and says so', async () => {
    const { page, expectErrors } = await openImport();
    expectErrors(429);
    let refusals = 0;
    await page.route('**/users/batch', (route) => {
      if (refusals++ > 0) return route.continue();
      return route.fulfill({
        status: 429,
        headers: { 'Retry-After': '3', 'Content-Type': 'application/problem+json' },
        body: JSON.stringify({ title: 'x', status: 429, code: 'rate_limited', detail: 'x', requestId: 'x' }),
      });
    });
    await choose(page, people(2));
    await dialogButton(page, 'Try it out').click();
    await page.getByText("The token's rate limit is used up. It continues at").waitFor();
    await page.getByText('2 to create ·').waitFor();
    expect(await page.getByText('rate limit is used up').count()).toBe(0);
  });

  it('goes on after a failure with the same key, and can be stopped', async () => {
    const { page, expectErrors, api } = await openImport();
    expectErrors(500);
    const keys: (string | null)[] = [];
    let isDown = true;
    await page.route('**/users/batch', async (route) => {
      keys.push(await route.request().headerValue('Idempotency-Key'));
      return isDown ? route.fulfill({ status: 500, body: '' }) : route.continue();
    });
    await choose(page, people(2));
    await dialogButton(page, 'Try it out').click();
    await page.getByText('Unexpected response: 500').waitFor();
    isDown = false;
    await dialogButton(page, 'Try again').click();
    await page.getByText('2 to create ·').waitFor();
    expect(new Set(keys).size).toBe(1);
    isDown = true;
    await dialogButton(page, 'Import 2 users').click();
    await page.getByText('Unexpected response: 500').waitFor();
    await dialogButton(page, 'Stop').click();
    await page.getByText('Stopped; what is counted here has been written').waitFor();
    expect(await usersOf(api)).toEqual([]);
  });

  it('asks before it is stopped in the middle, and then no more', async () => {
    const { page } = await openImport((_api, page) => page.clock.install());
    await choose(page, people(1_200));
    await dialogButton(page, 'Try it out').click();
    await dialogButton(page, 'Import 1,200 users').waitFor();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let batches = 0;
    await page.route('**/users/batch', async (route) => {
      if (++batches > 1) await held;
      await route.continue().catch(() => {}); // of a request that has been aborted
    });
    expect(await page.evaluate(ASKS_BEFORE_UNLOAD)).toBe(false);
    await dialogButton(page, 'Import 1,200 users').click();
    await page.getByText('500 created').waitFor();
    expect(await page.evaluate(ASKS_BEFORE_UNLOAD)).toBe(true);
    // Nobody has to move the mouse meanwhile. The clock is set, because a request that takes so long would end.
    await page.clock.setSystemTime(Date.now() + 31 * 60_000);
    await page.clock.fastForward('00:06');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Stop the import?' }).waitFor();
    await dialogButton(page, 'Continue importing').click();
    await page.getByRole('heading', { name: 'Importing …' }).waitFor();
    await page.keyboard.press('Escape');
    await dialogButton(page, 'Stop the import').click();
    release();
    await page.getByText('Stopped; what is counted here has been written').waitFor();
    await page.getByText('500 created · 0 changed · 0 unchanged · 0 refused').waitFor();
    while (await page.evaluate(ASKS_BEFORE_UNLOAD)) await page.waitForTimeout(20);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('asks before Back stops it in the middle', async () => {
    const { page, api } = await openImport();
    await choose(page, people(1_200));
    await dialogButton(page, 'Try it out').click();
    await dialogButton(page, 'Import 1,200 users').waitFor();
    let batches = 0;
    await page.route('**/users/batch', (route) => (++batches > 1 ? undefined : route.continue()));
    await dialogButton(page, 'Import 1,200 users').click();
    await page.getByText('500 created').waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Stop the import?' }).waitFor();
    const [aborted] = await Promise.all([
      page.waitForEvent('requestfailed'),
      dialogButton(page, 'Stop the import').click(),
    ]);
    expect(aborted.url()).toMatch(/users\/batch$/);
    await page.getByText('Stopped; what is counted here has been written').waitFor();
    await page.getByText('500 created · 0 changed · 0 unchanged · 0 refused').waitFor();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    expect(await countOf(api)).toBe(500);
  });

  it('names the rows that it has written if the token is revoked meanwhile', async () => {
    const { page, api, expectErrors } = await openImport();
    expectErrors(401);
    await choose(page, people(1_200).replace('p3@', 'no'));
    await dialogButton(page, 'Try it out').click();
    await dialogButton(page, 'Import 1,199 users').waitFor();
    let batches = 0;
    await page.route('**/users/batch', async (route) => {
      if (++batches > 2) await service().app.get(TokensService).revoke(api.organizationId, api.tokenId);
      await route.continue();
    });
    await dialogButton(page, 'Import 1,199 users').click();
    await page.getByText('the token was revoked or has expired').waitFor();
    await page
      .getByText(
        'The import of people.csv was interrupted. The rows up to line 1001 have been written except line 5, which was refused: 999 created, 0 changed, 0 unchanged.',
      )
      .waitFor();
    expect(await countOf(api)).toBe(999);
  });

  it('does not ask whether to stop once it is done', async () => {
    const { page } = await openImport();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await choose(page, people(2));
    await dialogButton(page, 'Try it out').click();
    await dialogButton(page, 'Import 2 users').waitFor();
    await page.route('**/users/batch', async (route) => {
      await held;
      await route.continue();
    });
    await dialogButton(page, 'Import 2 users').click();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Stop the import?' }).waitFor();
    release();
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('says so if the file has changed since it was chosen, and takes it again', async () => {
    const { page } = await openImport();
    const file = join(mkdtempSync(join(tmpdir(), 'ums-import-')), 'people.csv');
    writeFileSync(file, people(2));
    await page.getByLabel('CSV file').setInputFiles(file);
    await page.getByText('people.csv is chosen.').waitFor();
    writeFileSync(file, people(3));
    utimesSync(file, 1, 1); // browsers compare whole seconds
    await dialogButton(page, 'Try it out').click();
    await page.getByText('The file has changed, or is gone, since it was chosen.').waitFor();
    await dialogButton(page, 'Back').click();
    await page.getByText('people.csv is chosen.').waitFor();
    await page.getByLabel('CSV file').setInputFiles(file);
    await dialogButton(page, 'Try it out').click();
    await page.getByText('3 to create ·').waitFor();
    rmSync(dirname(file), { recursive: true });
  });

  it.each([1280, 320])('has no accessibility faults in a window of %i pixels', async (width) => {
    const { page } = await openImport((_api, page) => prepareAccessibility(page));
    await page.setViewportSize({ width, height: 800 });
    const check = async (state: string) =>
      expect([state, await accessibilityFaults(page)]).toEqual([state, []]);
    await check('empty');
    await choose(page, 'email,name,phone\na@example.com,Ada,1\nnobody,Bob,2\n');
    await page.getByLabel('phone becomes').waitFor();
    await check('columns');
    await dialogButton(page, 'Try it out').click();
    await page.getByText('1 to create ·').waitFor();
    await check('dry run');
  });
});
