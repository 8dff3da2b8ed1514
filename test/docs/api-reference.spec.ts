/**
 * @slow it drives a browser
 * @only embedded postgres: the document does not depend on the database
 */
import { readFileSync } from 'node:fs';
import document from '../../openapi.json';
import { STYLE } from '../../scripts/docs/style';
import { accessibilityFaults, prepareAccessibility } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import { useDashboard } from '../support/dashboard';
import { startService, type TestService } from '../support/service';

interface Operation {
  operationId: string;
  summary: string;
  parameters: { name: string; in: string }[];
  responses: Record<string, object>;
}
const operations = Object.entries(
  document.paths as unknown as Record<string, Record<string, Operation>>,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
);

describe('GET /docs', () => {
  let service: TestService;
  let html: string;
  beforeAll(async () => {
    service = await startService();
    const { text, headers } = await service.anonymous().get('/docs').expect(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^;]+'; img-src data:;/,
    );
    html = text;
  });
  afterAll(() => service.close());

  it.each(operations)(
    'shows $method $path once, with its parameters, statuses and an example',
    (operation) => {
      const { method, path, operationId, summary, parameters, responses } = operation;
      const articles = html.split('<article ').filter((text) => text.startsWith(`id="${operationId}"`));
      expect(articles).toHaveLength(1);
      const [article] = articles[0].split('</article>');
      expect(article).toContain(`>${summary}</h3>`);
      expect(article).toContain(`>${method.toUpperCase()}</span> <code>${path}</code>`);
      expect(article).toContain('<figcaption>Request</figcaption><pre><code>curl ');
      for (const { name } of parameters.filter((parameter) => parameter.in !== 'header')) {
        expect(article).toContain(`<code>${name}</code>`);
      }
      const statuses = [...article.matchAll(/data-label="Status">(\d{3}) /g)].map(([, status]) => status);
      expect(statuses).toEqual(Object.keys(responses));
    },
  );

  it('shows every error with its body', () => {
    for (const [name, { content }] of Object.entries(document.components.responses)) {
      const [, article] = html.split(`<article id="${name}"`);
      const { detail } = content['application/problem+json'].example;
      expect(article.split('</article>')[0]).toContain(detail);
    }
  });

  it('has links and ids that fit', () => {
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    const targets = [...html.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
    expect(targets.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('contains no script, and no Markdown that is not rendered', () => {
    expect(html).not.toMatch(/<script|(?:src="?|href="?|url\("?)https?:|\son\w+=|undefined|\[object|`|##/);
    expect(html).not.toMatch(/<p>[^<]*\n/);
  });

  it('answers GET and HEAD only', async () => {
    const { headers } = await service.anonymous().delete('/docs').expect(405);
    expect(headers.allow).toBe('GET, HEAD');
  });
});

it('has the colours of the dashboard', () => {
  const coloursIn = (css: string) => css.match(/--[\w-]+: ?light-dark\(#[0-9a-f]{6}, #[0-9a-f]{6}\)/g) ?? [];
  const withSpace = coloursIn(STYLE).map((colour) => colour.replace(':', ': '));
  expect(withSpace.length).toBeGreaterThan(10);
  expect(coloursIn(readFileSync('dashboard/style.css', 'utf8'))).toEqual(expect.arrayContaining(withSpace));
});

const VARIANTS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1280, 390, 320].map((width) => ({ colorScheme, width })),
);

describeInBrowser('the API reference', () => {
  const { service, open } = useDashboard();

  it.each(VARIANTS)('meets WCAG 2.2 AA, $colorScheme and $width px wide', async ({ colorScheme, width }) => {
    const { page, requestedUrls } = await open({ colorScheme, viewport: { width, height: 800 } });
    await prepareAccessibility(page);
    const url = `${service().url}/docs`;
    await page.goto(url);

    expect(await accessibilityFaults(page)).toEqual([]);
    await page
      .getByRole('navigation', { name: 'Contents' })
      .getByRole('link', { name: 'Create a user' })
      .click();
    expect(
      await page.evaluate(`document.querySelector(':target h3').getBoundingClientRect().top`),
    ).toBeLessThan(100);
    // It needs no network, and the styles of its policy are in force.
    expect(requestedUrls.filter((requested) => !requested.startsWith('data:'))).toEqual([url]);
    const canvas = colorScheme === 'dark' ? 'rgb(14, 16, 21)' : 'rgb(255, 255, 255)';
    expect(await page.evaluate(`getComputedStyle(document.documentElement).backgroundColor`)).toBe(canvas);
  });
});
