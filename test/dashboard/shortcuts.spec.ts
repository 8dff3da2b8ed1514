/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import { describeInBrowser } from '../support/browser';
import {
  buttonOf,
  chooseAction,
  closed,
  dialogButton,
  dialogOf,
  fills,
  focusOn,
  headingOf,
  shows,
  toSection,
  useDashboard,
} from '../support/dashboard';

describeInBrowser('the frame of the dashboard', () => {
  const { visit } = useDashboard();

  it('has keys that go to sections, search, create and edit, which can be turned off', async () => {
    const { page } = await visit('', (api) => api.createUser({ name: 'Ada' }), {});
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press('?');
    await shows(dialogOf(page), 'Keyboard shortcuts');
    await press('g', 'u'); // letters in a dialog
    await press('Escape');
    await closed(page);
    await headingOf(page, 'Overview').waitFor();

    await press('g', 'u');
    await headingOf(page, 'Users').waitFor();
    await press('/');
    await focusOn(page.getByRole('searchbox', { name: 'Search' }));
    await press('c', '?', 'g', 't'); // letters in a field
    await shows(page, 'No users match c?gt');
    await press('Control+a', 'Delete');
    await page.getByRole('link', { name: 'Ada' }).focus();
    await press('c');
    await shows(dialogOf(page), 'Create a user');
    await press('Escape');
    await closed(page);
    await page.getByRole('link', { name: 'Ada' }).click();
    await headingOf(page, 'Ada').waitFor();
    await press('e');
    await focusOn(page.getByRole('textbox', { name: 'Name' }));
    await press('Escape');

    await press('?');
    await dialogOf(page).getByRole('checkbox', { name: 'Single letters are shortcuts' }).uncheck();
    await press('Escape');
    await closed(page);
    await press('g', 't', '?', 'c');
    await press('Control+k'); // is no single key
    await page.keyboard.type('shortcuts');
    await press('Enter');
    await headingOf(page, 'Ada').waitFor();
    await dialogOf(page).getByRole('checkbox', { name: 'Single letters are shortcuts' }).check();
    expect(await page.evaluate('localStorage.length')).toBe(0);
  });

  it('says what was done for six seconds, or for as long as it can be undone, and the message can be closed', async () => {
    const { page } = await visit('users', (api) => api.createUser({ name: 'Ada' }), { hasClock: true });
    await chooseAction(page, 'Deactivate', 'Ada');
    await shows(page, 'Deactivated Ada');
    await page.clock.fastForward(6_000);
    await page.getByText('Deactivated Ada').waitFor({ state: 'detached' });

    await chooseAction(page, 'Activate', 'Ada');
    await shows(page, 'Activated Ada');
    await buttonOf(page, 'Close the message').click();
    await page.getByText('Activated Ada').waitFor({ state: 'detached' });
    await focusOn(headingOf(page, 'Users'));

    await page.getByRole('checkbox', { name: 'Select Ada' }).click();
    await page.getByRole('group', { name: 'Selected users' }).getByText('Deactivate').click();
    await dialogButton(page, 'Deactivate 1 user').click();
    await shows(page, 'Deactivated 1 user');
    await page.clock.fastForward(60_000);
    await buttonOf(page, 'Undo').waitFor();
  });

  it('is one row in a narrow window, with a menu that closes by itself', async () => {
    const { page } = await visit('', (api) => api.createUser({ name: 'Ada' }), {
      viewport: { width: 390, height: 844 },
    });
    const box = await headingOf(page, 'Overview').boundingBox();
    expect(box!.y + box!.height).toBeLessThan(200);
    const menu = page.getByRole('button', { name: 'Menu' });
    await menu.click();
    await page.keyboard.press('Escape');
    await focusOn(menu);
    expect(await menu.getAttribute('aria-expanded')).toBe('false');
    await toSection(page, 'Users');
    expect(await menu.getAttribute('aria-expanded')).toBe('false');
    expect(await page.getByRole('navigation', { name: 'Sections' }).isVisible()).toBe(false);
    const row = await page.getByRole('row').last().boundingBox();
    expect(row!.y).toBeLessThan(200); // the filters wait behind a button
    expect(await page.getByLabel('Role').isVisible()).toBe(false);
    await buttonOf(page, 'Filters').click();
    await fills(page, { Role: 'Viewer' });
    await shows(page, 'There are no users with the role Viewer');
  });
});
