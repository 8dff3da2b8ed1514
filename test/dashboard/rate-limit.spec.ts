/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import { describeInBrowser } from '../support/browser';
import { dialogButton, useDashboard } from '../support/dashboard';

describeInBrowser('the rate limit in the dashboard', () => {
  const { visit } = useDashboard({ RATE_LIMIT_PER_MINUTE: '7' });

  it('is shown when it is low, and a list retries when a used-up limit resets', async () => {
    const { page, requestedUrls, expectErrors } = await visit({}, (_api, page) => page.clock.install());
    expectErrors(429);
    const filterBy = (state: string) =>
      Promise.all([page.waitForResponse('**/tokens?**'), page.getByRole('radio', { name: state }).check()]);
    await filterBy('active');
    await page.getByText('1 token on this page').waitFor();
    expect(await page.getByText('requests left').count()).toBe(0);
    await filterBy('expired');
    await page.getByText('1 of 7 requests left').waitFor();
    await filterBy('revoked');
    await filterBy('all');
    const message = page.getByText("Too many requests: the token's rate limit is used up.");
    await message.waitFor();
    const secondsOf = async () => Number(/in (\d+) s/.exec(await message.innerText())![1]);
    const before = await secondsOf();
    expect(before).toBeGreaterThan(20);
    await page.clock.fastForward(10_000);
    // The page updates a moment later.
    while ((await secondsOf()) > before - 10) await page.waitForTimeout(50);
    expect(await message.innerText()).toMatch(/It resets at \d+:\d\d:\d\d [AP]M/);
    // At the reset the page retries by itself.
    const count = requestedUrls.length;
    const retry = page.waitForRequest('**/tokens?**');
    await page.clock.fastForward(60_000);
    await retry;
    expect(requestedUrls.length).toBeGreaterThan(count);
  });

  it('is reported in a form, which keeps the input', async () => {
    const { page, api, expectErrors } = await visit();
    expectErrors(429);
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByLabel('Name').fill('Typed');
    for (let i = 0; i < 7; i++) await api.get('/v1/tokens/current');
    await dialogButton(page, 'Create token').click();
    await page.getByText("Too many requests: the token's rate limit is used up.").waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed');
  });
});
