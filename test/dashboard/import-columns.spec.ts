/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page } from 'playwright-core';
import { meetsWcag } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import { buttonOf, fills, focusOn, shows, useDashboard } from '../support/dashboard';

/** As a German spreadsheet saves the list of a personnel department. */
const STAFF =
  '\ufeffPersonnel number;Full name;Contact;Department;Start date;Car, own?;Notes;Role\r\n' +
  '0815;Änne Müller;aenne@example.com;"Vertrieb; Süd";01.03.2019;yes;on leave;Engineer\r\n' +
  '0816;"Jörg ""Joe"" Groß";joerg@example.com;Einkauf;;;;Head of purchasing\r\n' +
  '0817;Zoë;zoë@;Einkauf;;no;;Clerk\r\n';

describeInBrowser('the columns of an imported file', () => {
  const { visit } = useDashboard();

  const choose = (page: Page, content: string) =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name: 'staff.csv', mimeType: 'text/csv', buffer: Buffer.from(content) });
  const becomes = (page: Page, column: string) => page.getByLabel(`${column} becomes`);
  const keyFor = (page: Page, column: string) => page.getByLabel(`Key for ${column}`);
  const tableRows = async (page: Page, name: string) => {
    const rows = page.getByRole('table', { name }).getByRole('row');
    return (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
  };
  /** Presses the button though it may say that it is disabled. */
  const preview = (page: Page) => buttonOf(page, 'Preview').click({ force: true });
  const errors = (page: Page) => page.locator('.error:not(:empty)').allInnerTexts();

  it('become fields, keys of the metadata or nothing, and the first people are shown before anything is done', async () => {
    const { page, api } = await visit('users/import', (api) =>
      api.createUser({ name: 'J', email: 'joerg@example.com', metadata: { plan: 'pro', startDate: '2020' } }),
    );
    await choose(page, STAFF);
    await becomes(page, 'Contact').waitFor();
    const proposed = [
      'Personnel number',
      'Full name',
      'Contact',
      'Department',
      'Start date',
      'Notes',
      'Role',
    ];
    const values = await Promise.all(proposed.map((column) => becomes(page, column).inputValue()));
    expect(values).toEqual(['externalId', 'name', 'email', 'key', 'key', '', '']);
    expect(await keyFor(page, 'Start date').inputValue()).toBe('startDate');
    expect(await becomes(page, 'Contact').locator('option').allInnerTexts()).toEqual([
      'Name',
      'Email',
      'Role',
      'State',
      'External ID',
      'Metadata key',
      'Metadata as JSON',
      'Left out',
    ]);
    await shows(page, '5 of 8 columns were recognized, “Contact” by the values.', /^\d+ bytes · 3 rows$/);
    expect(await errors(page)).toEqual([]);

    await fills(page, { 'Car, own? becomes': 'key' });
    expect(await keyFor(page, 'Car, own?').inputValue()).toBe('carOwn');
    await fills(page, { 'Key for Car, own?': 'car', 'If the user already exists': 'email' });
    await meetsWcag(page);
    await preview(page);
    await shows(page, 'Name, Email, External ID, 3 metadata keys · 2 columns left out');
    await shows(page, '1 to create, 1 to change, 0 unchanged, 1 refused');
    expect(await tableRows(page, 'The first people')).toEqual([
      'Name Email External ID Role State Metadata',
      'Änne Müller aenne@example.com 0815 – – department: Vertrieb; Süd startDate: 01.03.2019 car: yes',
      'Jörg "Joe" Groß joerg@example.com 0816 – – department: Einkauf',
      'Zoë Refused zoë@ 0817 – – department: Einkauf car: no',
    ]);
    expect(await tableRows(page, 'Refused rows')).toEqual([
      'Line Name Email External ID Reason',
      '4 Zoë zoë@ 0817 Email “zoë@” must be an email address',
    ]);
    await meetsWcag(page);
    await buttonOf(page, 'Import 2 users').click();
    await shows(page, '1 created, 1 changed, 0 unchanged, 1 refused');
    const { data } = (await api.get('/api/v1/users?sort=email').expect(200)).body;
    expect(data).toMatchObject([
      {
        externalId: '0815',
        name: 'Änne Müller',
        role: 'member',
        metadata: { department: 'Vertrieb; Süd', startDate: '01.03.2019', car: 'yes' },
      },
      {
        externalId: '0816',
        name: 'Jörg "Joe" Groß',
        metadata: { plan: 'pro', startDate: '2020', department: 'Einkauf' },
      },
    ]);
    expect(data[0].metadata).not.toHaveProperty('notes');
  });

  it('are at fault only after somebody has chosen, and then nothing is sent', async () => {
    const { page } = await visit('users/import');
    const sent: string[] = [];
    page.on('request', (request) => request.url().includes('/api/') && sent.push(request.url()));
    await choose(page, 'First name,Last name,Dept,Unit,Login,Metadata\nAda,King,A,B,ada,\n');
    await shows(page, 'Choose the column that has the email.', 'New users need a name');
    expect(await errors(page)).toEqual([]);
    expect(await page.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0);
    await preview(page);
    expect(await errors(page)).toEqual(['Choose the column that has the email.']);

    const form = { 'Login becomes': 'email', 'Dept becomes': 'key', 'Unit becomes': 'key' };
    await fills(page, { ...form, 'Key for Unit': 'department' });
    await shows(page, 'The column “Metadata” replaces all metadata: leave out one of the two.');
    await fills(page, { 'Metadata becomes': '' });
    expect(await errors(page)).toEqual(['The column “Dept” already has this key.']);
    await meetsWcag(page);
    for (const [key, message] of [
      ['', 'The key must not be empty.'],
      ['__proto__', 'The key is not allowed as a key.'],
      ['x'.repeat(65), 'The key must have at most 64 characters.'],
    ]) {
      await fills(page, { 'Key for Unit': key });
      await shows(page, message);
      await preview(page);
      await focusOn(keyFor(page, 'Unit'));
    }
    expect(await buttonOf(page, 'Preview').getAttribute('aria-disabled')).toBe('true');
    expect(sent).toEqual([]);
    await fills(page, { 'Key for Unit': 'unit' });
    await preview(page);
    await shows(page, '0 to create, 0 to change, 0 unchanged, 1 refused');
  });

  it('fit into a narrow window and into a wide one, whatever their values are', async () => {
    const { page } = await visit('users/import', undefined, { viewport: { width: 390, height: 844 } });
    await choose(
      page,
      STAFF.replace('Vertrieb', 'Vertrieb '.repeat(20)).replace('zoë@', `${'z'.repeat(99)}@`),
    );
    await fills(page, { 'Notes becomes': 'key' });
    const overflow = `document.documentElement.scrollWidth - document.documentElement.clientWidth`;
    expect(await page.evaluate(overflow)).toBe(0);
    for (const control of [becomes(page, 'Notes'), keyFor(page, 'Notes')])
      expect((await control.boundingBox())!.width).toBeGreaterThan(150);
    await preview(page);
    await shows(page, '2 to create, 0 to change, 0 unchanged, 1 refused');
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      expect([width, await page.evaluate(overflow)]).toEqual([width, 0]);
    }
  });
});
