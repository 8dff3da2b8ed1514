/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { TokensService } from '../../src';
import { meetsWcag } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import type { Client } from '../support/client';
import {
  addPeople,
  ASKS_BEFORE_UNLOAD,
  buttonOf,
  closed,
  dialogButton,
  dialogOf,
  fills,
  focusOn,
  headingOf,
  hold,
  keyboardOf,
  shows,
  signIn,
  sortBy,
  submits,
  toSection,
  useDashboard,
} from '../support/dashboard';
import { fillOrganization } from '../support/people';
import { until } from '../support/until';

const MARKUP = '<img src=x onerror=alert(1)>';

/** The answer to a request over the rate limit, which ends three seconds later. */
const TOO_MANY = {
  status: 429,
  headers: { 'Retry-After': '3', 'Content-Type': 'application/problem+json' },
  body: JSON.stringify({ title: 'x', status: 429, code: 'rate_limited', detail: 'x', requestId: 'x' }),
};

const bar = (page: Page) => page.getByRole('group', { name: 'Selected users' });
const act = (page: Page, name: string) => bar(page).getByRole('button', { name }).click();
const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });

/** The paths of the requests that the page sends from now on. */
function requestsTo(page: Page, pattern: string): string[] {
  const paths: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() !== 'GET' && pathname.startsWith(pattern)) paths.push(pathname);
  });
  return paths;
}

/** That one is above the other, without a common pixel, and within the dialog. */
async function expectApart(one: Locator, other: Locator): Promise<void> {
  const [above, below, dialog] = await Promise.all(
    [one, other, one.page().getByRole('dialog')].map(async (part) => (await part.boundingBox())!),
  );
  expect(above.y + above.height).toBeLessThanOrEqual(below.y);
  expect(above.x).toBeGreaterThanOrEqual(dialog.x);
  expect(above.x + above.width).toBeLessThanOrEqual(dialog.x + dialog.width);
}

/** Saves a file by a button, and returns its name and text. */
async function saved(page: Page, button: string) {
  const download = page.waitForEvent('download', { timeout: 600_000 });
  await buttonOf(page, button).click();
  const file = await download;
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

/** Exports the list, as the dialog is by default or with other values, and returns the lines of the file. */
async function exported(page: Page, values: Record<string, string> = {}): Promise<string[]> {
  await buttonOf(page, 'Export').click();
  await fills(dialogOf(page), values);
  return (await saved(page, 'Save as CSV')).text.trimEnd().split('\n');
}

describeInBrowser('many users in the dashboard', () => {
  const { service, visit } = useDashboard({ RATE_LIMIT_PER_MINUTE: '100000' });

  /** Opens the list of `count` users, and two that spreadsheets and browsers might run. */
  const visitUsers = async (count: number) => {
    const opened = await visit('users', async (api) => {
      await addPeople(api, count);
      await api.createUser({ name: MARKUP, email: 'img@example.com', role: 'admin' });
      await api.createUser({ name: '=1+1', email: 'formula@example.com' });
    });
    await sortBy(opened.page, 'Name', 'ascending');
    return opened;
  };
  const usersOf = async (api: Client, query = '') =>
    (await api.get(`/api/v1/users?limit=200${query}`).expect(200)).body.data as {
      id: string;
      name: string;
      role: string;
    }[];

  it('are selected with Shift, and changed, and changed back with Undo', async () => {
    const { page, api } = await visitUsers(5);
    await box(page, MARKUP).click();
    await box(page, 'Person 02').click({ modifiers: ['Shift'] });
    await shows(bar(page), '5 users selected');
    await meetsWcag(page);
    await act(page, 'Change role');
    await meetsWcag(page);
    await page.getByRole('menuitem', { name: 'Viewer' }).click();
    await submits(page, 'Change 5 users');
    await shows(page, 'Changed the role of 5 users');
    await focusOn(headingOf(page, 'Users'));
    expect(await usersOf(api, '&role=viewer')).toHaveLength(5);

    await buttonOf(page, 'Undo').click();
    await shows(page, 'Restored 5 users');
    expect(await usersOf(api, '&role=viewer')).toEqual([]);
    expect(await usersOf(api, '&role=admin')).toMatchObject([{ name: MARKUP }]);
  });

  it('are selected, changed and deleted with the keyboard alone, and come back', async () => {
    const { page, api } = await visitUsers(3);
    const { press, enter } = keyboardOf(page);
    await box(page, '=1+1').focus();
    await press('Space', 'ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowDown');
    expect(await bar(page).getByText('2 users selected').count()).toBe(0);
    await press('Space');
    await shows(bar(page), '2 users selected');
    await enter('button', 'Delete', 'Shift+Tab');
    await focusOn(dialogButton(page, 'Cancel'));
    await press('Tab', 'Enter');
    await shows(page, 'Deleted 2 users');
    expect(await usersOf(api)).toHaveLength(3);
    await enter('button', 'Undo');
    await shows(page, 'Restored 2 users');
    expect(await usersOf(api)).toHaveLength(5);
  });

  it('are said to be done when the token is revoked after some of them', async () => {
    const { page, api, expectErrors } = await visitUsers(500);
    expectErrors(401);
    let batches = 0;
    await page.route('**/users/batch-delete', async (route) => {
      if (++batches > 1) {
        await page.getByText('500 of 502 users', { exact: true }).waitFor();
        await service().app.get(TokensService).revoke(api.organizationId, api.tokenId);
      }
      await route.continue();
    });
    await box(page, 'all users on this page').click();
    await act(page, 'Select all that this list has');
    await shows(bar(page), '502 users selected');
    await act(page, 'Delete');
    await meetsWcag(page);
    await submits(page, 'Delete 502 users');
    await shows(page, 'the token was revoked or has expired');
    await shows(
      page,
      /^Deleting 502 users was interrupted: deleted 500 users before, from .+ to .+ in the order of the list/,
    );
  });

  it('that are refused are named, and what is under way can be stopped after a question', async () => {
    const { page } = await visitUsers(1);
    await box(page, 'Person 00').click();
    const errors = [{ field: 'email', code: 'conflict', message: 'is '.repeat(80) }];
    const results = [{ index: 0, status: 409, errors }];
    const counts = { created: 0, updated: 0, unchanged: 0, failed: 1 };
    await page.route('**/users/batch', (route) => route.fulfill({ json: { results, counts } }));
    await act(page, 'Deactivate');
    await submits(page, 'Deactivate 1 user');
    await page.getByRole('list', { name: 'Users that were refused' }).waitFor();
    await meetsWcag(page);
    await submits(page, 'Close');
    await page.unroute('**/users/batch');
    const release = await hold(page, '**/users/batch');
    await act(page, 'Deactivate');
    await submits(page, 'Deactivate 1 user');
    await shows(page, '0 of 1 user');
    await expectApart(dialogOf(page).getByRole('progressbar'), dialogOf(page).getByText('0 of 1 user'));
    await meetsWcag(page);
    await page.keyboard.press('Escape');
    await meetsWcag(page);
    await submits(page, 'Stop');
    await shows(page, 'It stops as soon as the current part is done.');
    expect(await dialogButton(page, 'Stopping …').getAttribute('aria-disabled')).toBe('true');
    await meetsWcag(page);
    await page.keyboard.press('Escape'); // must not leave the part without its answer
    release();
    await closed(page);
    await shows(page, 'Deactivated 1 user');
  });

  it('that were deleted before a stop are counted, gone from the list, and restored with Undo', async () => {
    const { page, api } = await visitUsers(500);
    await box(page, 'all users on this page').click();
    await act(page, 'Select all that this list has');
    await shows(bar(page), '502 users selected');
    expect(await bar(page).getByText('Select all').count()).toBe(0);
    const release = await hold(page, '**/users/batch-delete');
    const sent = requestsTo(page, '/api/v1/users/batch-delete');
    await act(page, 'Delete');
    await submits(page, 'Delete 502 users');
    await shows(page, '0 of 502 users');
    await submits(page, 'Stop');
    await dialogButton(page, 'Stopping …').waitFor();
    release();
    await shows(page, 'Deleted 500 of 502 users', /^2 users$/);
    expect(sent).toHaveLength(1);
    expect(await usersOf(api)).toHaveLength(2);
    await buttonOf(page, 'Undo').click();
    await shows(page, 'Restored 500 users');
  });

  it('are said to be perhaps changed if no answer came, and the list is read again', async () => {
    const { page, api, expectErrors } = await visitUsers(1);
    expectErrors(500);
    await page.route('**/users/batch-delete', async (route) => {
      await route.fetch();
      await route.fulfill({ status: 500, body: '' });
    });
    await box(page, 'Person 00').click();
    await act(page, 'Delete');
    await submits(page, 'Delete 1 user');
    await shows(page, 'Deleted 0 of 1 user; some more may have been deleted.');
    await meetsWcag(page);
    await page.keyboard.press('Escape');
    await closed(page);
    await shows(page, 'Deleted 0 of 1 user; some more may have been deleted', /^2 users$/);
    expect(await buttonOf(page, 'Undo').count()).toBe(0);
    expect(await usersOf(api)).toHaveLength(2);
  });

  it('are deleted and restored in batches, but for those whom somebody else has deleted', async () => {
    const { page, api } = await visitUsers(500);
    await box(page, 'all users on this page').click();
    await act(page, 'Select all that this list has');
    await shows(bar(page), '502 users selected');
    const [gone] = await usersOf(api, '&sort=name');
    await api.delete(`/api/v1/users/${gone.id}`).expect(204);
    const sent = requestsTo(page, '/api/v1/');
    await act(page, 'Delete');
    await submits(page, 'Delete 502 users');
    await shows(page, 'Deleted 501 users; 1 could not be deleted.');
    await shows(page, `${gone.name} was deleted by somebody else`);
    expect(sent.filter((path) => path.endsWith('/batch-delete'))).toHaveLength(2);
    await submits(page, 'Close');
    await page.getByText('Deleted 501 users; 1 could not be deleted', { exact: true }).waitFor();
    expect(await usersOf(api)).toEqual([]);
    await buttonOf(page, 'Undo').click();
    await shows(page, 'Restored 501 users');
    expect(sent.filter((path) => path.endsWith('/batch-restore'))).toHaveLength(2);
    expect(sent.filter((path) => /usr_/.test(path))).toEqual([]);
    await api.get(`/api/v1/deleted-users/${gone.id}`).expect(200);
  });

  it('are not taken for deleted by somebody else if the answer was lost', async () => {
    const { page, api, expectErrors } = await visitUsers(2);
    expectErrors(500);
    let isLost = false;
    await page.route('**/users/batch-delete', async (route) => {
      const response = await route.fetch();
      if (isLost) return route.fulfill({ response });
      isLost = true;
      await route.fulfill({ status: 500, body: '' });
    });
    await box(page, 'all users on this page').click();
    await act(page, 'Delete');
    await submits(page, 'Delete 4 users');
    await dialogButton(page, 'Try again').click();
    await shows(page, 'Deleted 4 users');
    expect(await usersOf(api)).toEqual([]);
  });

  it('are all that a search finds, on every page, and exported as CSV as the list shows them', async () => {
    const { page, api } = await visitUsers(60);
    await fills(page, { Search: 'person' });
    await page.locator('table[aria-busy=false]', { hasText: 'best match first' }).waitFor();
    await box(page, 'all users on this page').click();
    await act(page, 'Select all that this search has');
    await shows(bar(page), '60 users selected');
    await act(page, 'Deactivate');
    await submits(page, 'Deactivate 60 users');
    await shows(page, 'Deactivated 60 users');
    expect(await usersOf(api, '&active=false')).toHaveLength(60);

    await fills(page, { Search: '' });
    await page.locator('table[aria-busy=false] th[aria-sort=ascending]').waitFor();
    const all = await exported(page);
    await shows(page, 'Exported 62 users');
    expect(all[0]).toBe('id,externalId,name,email,role,active,metadata,version,createdAt,updatedAt');
    expect(all).toHaveLength(63);
    expect(all[2]).toMatch(/^usr_\w+,,'=1\+1,formula@example\.com,member,true,\{\},1,/);
    await fills(page, { Role: 'Admin' });
    await shows(page, /^1 user$/);
    expect(await exported(page)).toMatchObject([all[0], expect.stringContaining(MARKUP)]);
  });

  it('are exported if they changed since a time, in the zone of the browser', async () => {
    const prepare = async (api: Client) => {
      for (const [name, updatedAt] of [
        ['Before', '2026-01-31T09:29:59.999Z'],
        ['After', '2026-01-31T09:30:00.001Z'],
        ['At', '2026-01-31T09:30:00.000Z'],
        ['Viewer', '2026-02-01T00:00:00.000Z'],
      ]) {
        const { id } = await api.createUser({ name, role: name === 'Viewer' ? 'viewer' : 'member' });
        await service().dataSource.query('UPDATE users SET updated_at = $2 WHERE id = $1', [id, updatedAt]);
      }
    };
    const { page } = await visit('users', prepare, { timezoneId: 'Asia/Kolkata' });
    await fills(page, { Role: 'Member' });
    await shows(page, /^3 users$/);
    const [, ...rows] = await exported(page, { 'Changed since': '2026-01-31T15:00' });
    expect(rows.map((row) => row.split(',')[2])).toEqual(['At', 'After']);
    await shows(page, 'Exported 2 users');
    await buttonOf(page, 'Export').click();
    await page.getByLabel('Changed since').focus();
    await page.keyboard.type('01');
    await meetsWcag(page);
    await submits(page, 'Save as CSV');
    await shows(page, 'Changed since must be a whole date and time.');
  });

  it('are listed, found, changed and exported as usual where there are 100,000', async () => {
    const { page, api } = await visit('users', (api) =>
      fillOrganization(service().dataSource, api.organizationId, 1, 100_000, (n) => ({
        email: `person-${n}@example.com`,
        role: n % 100 === 0 ? 'admin' : 'member',
        active: true,
      })),
    );
    await shows(page, /^Users 1–50/);
    expect(await page.locator('tbody tr').count()).toBe(50);
    await sortBy(page, 'Email', 'ascending');
    await fills(page, { Rows: '200' });
    await shows(page, /^Users 1–200/);
    for (const [button, range] of [
      ['Next', '201–400'],
      ['Next', '401–600'],
      ['Previous', '201–400'],
    ]) {
      await buttonOf(page, button).click();
      await page.getByText(range, { exact: true }).waitFor();
    }
    expect(await page.locator('tbody tr').count()).toBe(200);

    await fills(page, { Search: 'person-77777@example.com' });
    await page.getByText('person-77777@example.com').and(page.locator('td .clip')).waitFor();
    await fills(page, { Search: '', Role: 'Admin' });
    await shows(page, /^Users 1–200/);
    await box(page, 'all users on this page').click();
    await buttonOf(page, 'Select all that this list has').click();
    await shows(page, '1,000 users selected');
    await act(page, 'Deactivate');
    await submits(page, 'Deactivate 1,000 users');
    await shows(page, 'Deactivated 1,000 users');
    const inactive = () =>
      service().dataSource.query(
        `SELECT count(*)::int AS count, count(*) FILTER (WHERE role = 'admin')::int AS admins
         FROM users WHERE organization_id = $1 AND NOT active`,
        [api.organizationId],
      );
    expect(await inactive()).toEqual([{ count: 1_000, admins: 1_000 }]);
    await buttonOf(page, 'Undo').click();
    await shows(page, 'Restored 1,000 users');
    expect(await inactive()).toEqual([{ count: 0, admins: 0 }]);

    await fills(page, { Role: 'Any role' });
    await shows(page, /^Users 1–200/);
    const rows = await exported(page);
    expect(rows).toHaveLength(100_001);
    expect(new Set(rows).size).toBe(100_001);
    await shows(page, 'Exported 100,000 users');
  });
});

describeInBrowser('the import of the dashboard', () => {
  const { service, visit } = useDashboard();

  type Prepare = Parameters<typeof visit>[1];
  const openImport = (prepare?: Prepare) => visit('users/import', prepare);
  const choose = (page: Page, content: string | Buffer, name = 'people.csv') =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
  const people = (count: number) =>
    ['email,name', ...Array.from({ length: count }, (_, n) => `p${n}@example.com,Person ${n}`)].join('\n');
  const preview = (page: Page) => buttonOf(page, 'Preview').click();
  const press = (page: Page, button: string) => buttonOf(page, button).click();
  /** Tries a file out, up to the button that imports so many users. */
  const tryOut = async (page: Page, content: string, count: string) => {
    await choose(page, content);
    await preview(page);
    await page.getByRole('button', { name: `Import ${count} user` }).waitFor();
  };
  const asked = (page: Page, title: string) => page.getByRole('heading', { name: title }).waitFor();
  const linkTo = (page: Page, section: string) =>
    page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: section });
  const usersOf = async (api: Client) => (await api.get('/api/v1/users?sort=email').expect(200)).body.data;
  const countOf = async ({ organizationId }: Client): Promise<number> => {
    const sql = 'SELECT count(*)::int FROM users WHERE organization_id = $1';
    return (await service().dataSource.query(sql, [organizationId]))[0].count;
  };

  it('shows what columns become, tries the file out, imports it and offers the refused rows', async () => {
    const { page, api, expectErrors } = await openImport((api) =>
      api.createUser({ email: 'known@example.com' }),
    );
    await choose(page, Buffer.from('name,email\nJ\xfcrgen,j@example.com\n', 'latin1'));
    await shows(page, 'The file is not UTF-8.');
    expectErrors(400); // the NUL refuses the whole batch, which is sent again without it
    await choose(
      page,
      '\ufeffName;Contact;Role;Metadata;Phone\r\n' +
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
    await shows(page, 'Choose the column that has the email.');
    expect(await page.getByLabel('Name becomes').inputValue()).toBe('name');
    expect(await page.getByLabel('Phone becomes').inputValue()).toBe('');
    await shows(page, '3 of 5 columns were recognized.', /^\d+ bytes · 8 rows$/);
    await meetsWcag(page);
    await fills(page, { 'Contact becomes': 'email' });
    await preview(page);

    await page.getByRole('heading', { name: 'This would happen' }).waitFor();
    await shows(page, '2 to create, 0 to change, 0 unchanged, 6 refused');
    expect(await usersOf(api)).toHaveLength(1);
    const rows = await page.getByRole('table', { name: 'Refused rows' }).getByRole('row').allInnerTexts();
    expect(rows.slice(1).map((text) => text.replace(/\s+/g, ' '))).toEqual([
      '4 Known known@example.com Email “known@example.com” is already used by another user of the organization',
      '6 =Bad nobody Email “nobody” must be an email address',
      '7 – – The row has 2 cells, but the header has 5',
      '8 Twice JO@example.com Email “JO@example.com” appears in an earlier row of the file',
      '9 NUL\0 nul@example.com Name “NUL\0” must not contain a NUL or a lone surrogate',
      '10 Odd odd@example.com Metadata “{no}” must be JSON',
    ]);
    await meetsWcag(page);

    await press(page, 'Import 2 users');
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    const { name, text } = await saved(page, 'Download refused rows');
    expect(name).toBe('people.refused.csv');
    expect(text).toMatch(/^\ufeffrefused_because;Name;Contact;Role;Metadata;Phone\n/);
    expect(text).toContain("line 6: email must be an email address;'=Bad;nobody;;;\n");
    expect(text).toContain('line 7: row has 2 cells, but the header has 5;Short;short@example.com\n');
    await press(page, 'To the users');
    await shows(page, /^3 users$/);
    expect(await usersOf(api)).toMatchObject([
      { name: 'Smith; "Jo"', role: 'viewer', metadata: { a: 'x' } },
      { name: 'Ada Lovelace', email: 'known@example.com' },
      { name: 'Last', email: 'last@example.com', role: 'member', metadata: {} },
    ]);
  });

  it('imports corrected rows, and changes users that it finds by the column that a person chooses', async () => {
    const { page, api } = await openImport((api) => api.createUser({ name: 'Ada', externalId: 'E-1' }));
    const rows =
      'no\tE-1\tnew@example.com\nno\tE-2\tbob@example.com\nno\tE-1\ttwice@example.com\nno\t\tx@example.com\n';
    await choose(page, `refused_because\tExternal ID\tE-Mail\n${rows}`, 'a.tsv');
    const identity = { 'If the user already exists': 'externalId' };
    await fills(page, { ...identity, 'External ID becomes': '' });
    await shows(page, 'Choose the column that has the external ID.');
    await fills(page, { 'External ID becomes': 'externalId' });
    await preview(page);
    await shows(page, '0 to create, 1 to change, 0 unchanged, 3 refused');
    await shows(page, 'appears in an earlier row of the file');
    await page.getByRole('row', { name: /^5 x@example.com – .*External ID is required/ }).waitFor();
    await press(page, 'Import 1 user');
    await shows(page, '0 created, 1 changed, 0 unchanged, 3 refused');
    expect(await usersOf(api)).toMatchObject([{ name: 'Ada', email: 'new@example.com', version: 2 }]);
  });

  it('waits out the rate limit, goes on after a failure, and can be stopped', async () => {
    const { page, expectErrors, api } = await openImport();
    expectErrors(429, 500);
    const FAILURE = { status: 500, body: '' };
    const answers = [TOO_MANY, FAILURE];
    await page.route('**/users/batch', (route) => {
      const answer = answers.shift();
      return answer ? route.fulfill(answer) : route.continue();
    });
    await choose(page, people(2));
    await preview(page);
    await shows(page, "The token's rate limit is used up. It continues at", 'Unexpected response: 500');
    expect(await page.getByText('rate limit is used up').count()).toBe(0);
    await press(page, 'Try again');
    await shows(page, '2 to create,');
    await focusOn(page.getByRole('heading', { name: 'This would happen' })); // the button is gone
    answers.push(FAILURE);
    await press(page, 'Import 2 users');
    await shows(page, 'Unexpected response: 500');
    await press(page, 'Stop');
    await shows(
      page,
      'Stopped; what is counted here has been written',
      'Some more rows may have been written.',
    );
    await focusOn(page.getByRole('heading', { name: 'Stopped; what is counted' }));
    expect(await usersOf(api)).toEqual([]);
  });

  it('asks before a link or Back stops it in the middle, and then no more', async () => {
    const { page, api } = await visit('tokens', undefined, { hasClock: true });
    await toSection(page, 'Users'); // so that Back leads to a page
    await press(page, 'Import users');
    await tryOut(page, people(1_200), '1,200');
    let batches = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/users/batch', async (route) => {
      if (++batches > 1) await released;
      await route.continue();
    });
    await press(page, 'Import 1,200 users');
    await shows(page, '500 of 1,200 rows');
    expect(await page.evaluate(ASKS_BEFORE_UNLOAD)).toBe(true);
    // Nobody has to move the mouse meanwhile. The clock is set, because a request that takes so long would end.
    await page.clock.setSystemTime(Date.now() + 31 * 60_000);
    await page.clock.fastForward('00:06');
    await linkTo(page, 'Groups').click();
    await asked(page, 'Stop the import?');
    await submits(page, 'Continue importing');
    await page.getByRole('heading', { name: 'Importing …' }).waitFor();
    await page.goBack();
    await asked(page, 'Stop the import?');
    await submits(page, 'Stop the import');
    await shows(page, 'It stops as soon as the current part is done.');
    expect(await buttonOf(page, 'Stopping …').getAttribute('aria-disabled')).toBe('true');
    await linkTo(page, 'Groups').click(); // must not leave the part without its answer
    release();
    await shows(page, 'Stopped; what is counted here has been written');
    await shows(page, '1,000 created, 0 changed, 0 unchanged, 0 refused');
    await shows(page, 'To continue, import the file again and choose to update users that already exist');
    await meetsWcag(page);
    await until(async () => !(await page.evaluate(ASKS_BEFORE_UNLOAD)));
    await page.goBack();
    await headingOf(page, 'Users').waitFor();
    expect([batches, await countOf(api)]).toEqual([2, 1_000]);
  });

  it('stops even if the part that is on its way fails while it asks', async () => {
    const { page, expectErrors } = await openImport();
    expectErrors(500);
    await tryOut(page, people(2), '2');
    let sent = 0;
    let fail = () => {};
    const failed = new Promise<void>((resolve) => (fail = resolve));
    await page.route('**/users/batch', async (route) => {
      sent++;
      await failed;
      await route.fulfill({ status: 500, body: '' });
    });
    await press(page, 'Import 2 users');
    await linkTo(page, 'Groups').click();
    await asked(page, 'Stop the import?');
    fail();
    await page.getByText('Unexpected response: 500').waitFor({ state: 'attached' });
    await submits(page, 'Stop the import');
    await shows(page, 'Stopped; what is counted here has been written');
    expect(sent).toBe(1);
  });

  it('does not ask whether to stop once it is done', async () => {
    const { page } = await openImport();
    await tryOut(page, people(2), '2');
    const release = await hold(page, '**/users/batch');
    await press(page, 'Import 2 users');
    await linkTo(page, 'Groups').click();
    await asked(page, 'Stop the import?');
    release();
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    await closed(page);
    await toSection(page, 'Groups');
  });

  it('names the rows that it has written if the token is revoked meanwhile', async () => {
    const { page, api, expectErrors } = await openImport();
    expectErrors(401);
    await tryOut(page, people(1_200).replace('p3@', 'no'), '1,199');
    let batches = 0;
    await page.route('**/users/batch', async (route) => {
      if (++batches > 2) await service().app.get(TokensService).revoke(api.organizationId, api.tokenId);
      await route.continue();
    });
    await press(page, 'Import 1,199 users');
    await shows(
      page,
      'the token was revoked or has expired',
      'The import of people.csv was interrupted. The rows up to line 1001 have been written except line 5, which was refused: 999 created, 0 changed, 0 unchanged.',
    );
    expect(await countOf(api)).toBe(999);
  });

  it('says so if the file has changed since it was chosen, or turns out to be none, and takes another', async () => {
    const { page } = await openImport();
    const file = join(mkdtempSync(join(tmpdir(), 'ums-import-')), 'people.csv');
    writeFileSync(file, people(2));
    await page.locator('input[type=file]').setInputFiles(file);
    await shows(page, /^people.csv$/);
    writeFileSync(file, people(3));
    utimesSync(file, 1, 1); // browsers compare whole seconds
    await preview(page);
    await shows(page, 'The file has changed, or is gone, since it was chosen.');
    await press(page, 'Back to the columns');
    await focusOn(page.getByRole('heading', { name: 'Columns' }));
    await page.locator('input[type=file]').setInputFiles(file);
    await preview(page);
    await shows(page, '3 to create,');
    await choose(page, `${people(109)}\n"`);
    await preview(page);
    await shows(page, 'The quote that opens at line 111 is never closed.');
    await page.getByRole('heading', { name: 'Failed; nothing was written' }).waitFor();
    rmSync(dirname(file), { recursive: true });
  });

  it('asks before a chosen file is left, keeps it until it is imported or the session ends, and goes back to its columns', async () => {
    const { page, api } = await visit('tokens');
    await toSection(page, 'Users');
    await press(page, 'Import users');
    await focusOn(headingOf(page, 'Import users'));
    expect(await page.evaluate(ASKS_BEFORE_UNLOAD)).toBe(false);
    await choose(page, 'email,Dept\na@example.com,Sales\n');
    await focusOn(page.getByRole('heading', { name: 'Columns' }));
    await fills(page, { 'Dept becomes': 'name', 'If the user already exists': 'email' });
    expect(await page.evaluate(ASKS_BEFORE_UNLOAD)).toBe(true);
    await preview(page);
    await focusOn(page.getByRole('heading', { name: 'Preview' }));
    await shows(page, 'Name, Email', '1 to create,');
    await page.goBack();
    await asked(page, 'Leave the import?');
    await shows(page, 'people.csv has not been imported yet.');
    await submits(page, 'Stay');
    await press(page, 'Change');
    expect(await page.getByLabel('Dept becomes').inputValue()).toBe('name');
    await page.goBack();
    await submits(page, 'Leave');
    await headingOf(page, 'Users').waitFor();
    expect(await page.evaluate(ASKS_BEFORE_UNLOAD)).toBe(false);
    await page.goForward();
    await shows(page, /^people.csv$/);
    expect(await page.getByLabel('Dept becomes').inputValue()).toBe('name');
    expect(await page.getByLabel('If the user already exists').inputValue()).toBe('email');
    await linkTo(page, 'Groups').click();
    await submits(page, 'Leave');
    await headingOf(page, 'Groups').waitFor();
    await press(page, 'Sign out');
    await signIn(page, api.tokenValue);
    await toSection(page, 'Users');
    await press(page, 'Import users');
    await shows(page, 'Drop a CSV file here');
    await tryOut(page, people(1), '1');
    await press(page, 'Import 1 user');
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    await toSection(page, 'Users');
    await press(page, 'Import users');
    await shows(page, 'Drop a CSV file here');
  });

  it('takes a file that is dropped on the page, and offers a sample that it recognizes', async () => {
    const { page } = await openImport();
    const { name, text } = await saved(page, 'Download a sample file');
    const drag = (type: string, content: string) =>
      page.evaluate(`(() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([${JSON.stringify(content)}], '${name}'));
        const event = new DragEvent('${type}', { dataTransfer, bubbles: true, cancelable: true });
        document.querySelector('h1').dispatchEvent(event);
        return event.defaultPrevented;
      })()`);
    expect(await drag('dragover', text)).toBe(true);
    await shows(page, 'Let go to read the file');
    expect(await drag('drop', text)).toBe(true);
    await shows(page, /^users.csv$/, 'All 6 columns were recognized.');
    expect(await drag('drop', 'email\nb@example.com\n')).toBe(true); // the browser would leave the page
    await preview(page);
    await shows(page, '3 to create, 0 to change, 0 unchanged, 0 refused');
    const row = page.getByRole('table', { name: 'The first people' }).getByRole('row', { name: 'Lin Chen' });
    expect((await row.innerText()).replace(/\s+/g, ' ')).toBe(
      'Lin Chen lin@example.com E-1003 Viewer Inactive department: Sales',
    );
  });
});
