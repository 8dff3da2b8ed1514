import { type Body, type ScimClient, scimClient } from '../support/scim';
import { startService, type TestService } from '../support/service';

let service: TestService;
let scim: ScimClient;

const MB = 1024 * 1024;
const USERS = 30;
const GROUPS = 100;
/** Names of four bytes for each character, as long as they may be. */
const userName = (i: number) => `${i} ${'😀'.repeat(190)}`;
const groupName = (i: number) => `${i} ${'😀'.repeat(250)}`;

beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_MINUTE: '100000' });
  scim = await scimClient(service);
  const members: object[] = [];
  for (let i = 0; i < USERS; i++) {
    const user = { userName: `u${i}@example.com`, displayName: userName(i) };
    members.push({ value: (await scim.post('/Users', user).expect(201)).body.id });
  }
  for (let i = 0; i < GROUPS; i++)
    await scim.post('/Groups', { displayName: groupName(i), members }).expect(201);
});
afterAll(() => service.close());

const page = async (path: string): Promise<Body> => {
  const { body, text } = await scim.get(path).expect(200);
  const bytes = Buffer.byteLength(text);
  expect(bytes).toBeLessThan(2 * MB + 1000); // the envelope
  expect(body.itemsPerPage).toBe(body.Resources.length);
  return { ...body, bytes };
};

/** All pages of the list; `next` gives the parameter of the page after one. */
async function read(path: string, first: string, next: (page: Body) => string | undefined) {
  const pages: Body[] = [];
  for (let parameter: string | undefined = first; parameter !== undefined; parameter = next(pages.at(-1)!))
    pages.push(await page(`${path}&${parameter}`));
  return { pages, ids: pages.flatMap(({ Resources }) => Resources.map(({ id }: Body) => id)) };
}

const byCursor = (path: string) =>
  read(path, 'cursor=', ({ nextCursor }) => nextCursor && `cursor=${encodeURIComponent(nextCursor)}`);

const byPosition = (path: string) =>
  read(path, 'startIndex=1', ({ startIndex, itemsPerPage, totalResults }) => {
    const following = startIndex + itemsPerPage;
    return following > totalResults ? undefined : `startIndex=${following}`;
  });

describe.each([
  ['Users', USERS, 'groups', GROUPS],
  ['Groups', GROUPS, 'members', USERS],
])('a page of %s', (type, count, lists, listed) => {
  it.each([
    ['by position', byPosition],
    ['by cursor', byCursor],
  ])('%s ends before it would pass 2 MB, and the next one goes on there', async (_, readAll) => {
    const { pages, ids } = await readAll(`/${type}?count=200`);
    expect(pages.length).toBeGreaterThan(1);
    for (const { bytes, Resources, totalResults } of pages.slice(0, -1)) {
      expect(bytes + (1.5 * bytes) / Resources.length).toBeGreaterThan(2 * MB);
      if (totalResults !== undefined) expect(totalResults).toBe(count);
    }
    for (const resource of pages.flatMap(({ Resources }) => Resources))
      expect(resource[lists]).toHaveLength(listed);
    const { ids: whole } = await readAll(`/${type}?count=200&excludedAttributes=${lists}`);
    expect(whole).toHaveLength(count);
    expect(ids).toEqual(whole);
  });

  it('is whole without them', async () => {
    const { Resources } = await page(`/${type}?count=200&excludedAttributes=${lists}`);
    expect(Resources).toHaveLength(count);
  });

  it('shows at least one resource', async () => {
    expect((await page(`/${type}?count=1`)).Resources).toHaveLength(1);
  });
});
