import { type Body, useScim } from '../support/scim';

// A gateway in front of applications that provisions whatever its discovery finds: no client of a known directory.

const { scim } = useScim();

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const get = async (path: string): Promise<Body> => (await scim.get(path).expect(200)).body;
const query = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString();

it('finds its way by discovery, and provisions a user through its life', async () => {
  const config = await get('/ServiceProviderConfig');
  expect([config.patch.supported, config.etag.supported, config.bulk.supported]).toEqual([true, true, false]);
  const type = (await get('/ResourceTypes')).Resources.find(({ name }: Body) => name === 'User');
  const { Resources: schemas } = await get('/Schemas');
  const named = (id: string) => schemas.find((schema: Body) => schema.id === id).attributes;
  const writable = [type.schema, ...type.schemaExtensions.map(({ schema }: Body) => schema)].flatMap((id) =>
    named(id).filter(({ mutability }: Body) => mutability === 'readWrite'),
  );
  expect(writable.map(({ name }: Body) => name)).toEqual(
    expect.arrayContaining(['userName', 'emails', 'photos', 'x509Certificates', 'costCenter', 'manager']),
  );

  const userName = 'grace@example.com';
  const users = type.endpoint;
  const matching = `${users}?${query({ filter: `userName eq "${userName}"` })}`;
  expect((await get(matching)).totalResults).toBe(0);
  const { body: created, headers } = await scim
    .post(users, {
      schemas: [USER, ENTERPRISE],
      userName,
      emails: [
        { value: userName, type: 'work', primary: true },
        { value: 'grace@home.example.com', type: 'home' },
      ],
      photos: [{ value: 'https://example.com/grace.png', type: 'photo' }],
      [ENTERPRISE]: { costCenter: '100', organization: 'Navy' },
    })
    .expect(201);
  expect(headers.location).toBe(created.meta.location);
  expect((await get(matching)).Resources).toEqual([created]);

  const one = `${users}/${created.id}`;
  const selected = await get(
    `${one}?${query({ attributes: 'emails[type eq "work,home"].value,photos[type eq "photo"]' })}`,
  );
  const { schemas: urns, id, photos } = created;
  const emails = [{ value: userName }, { value: 'grace@home.example.com' }];
  expect(selected).toEqual({ schemas: urns, id, photos, emails });
  for (const [path, more] of [
    [users, { filter: `id eq "${id}"` }],
    [`${users}/.search`, { filter: `userName eq "${userName}"` }],
    ['/.search', { filter: `emails.value eq "${userName}"` }],
  ] as const) {
    const parameters = { ...more, excludedAttributes: ['emails[type eq "work"]', 'photos', 'meta'] };
    const { body } = path.endsWith('.search')
      ? await scim.post(path, parameters).expect(200)
      : await scim.get(
          `${path}?${query({ ...parameters, excludedAttributes: `${parameters.excludedAttributes}` })}`,
        );
    const { emails: _emails, photos: _photos, meta: _meta, ...others } = created;
    expect(body.Resources).toEqual([others]);
  }

  const change = (version: string, ...Operations: object[]) =>
    scim.patch(one, { schemas: [PATCH], Operations }).set('If-Match', version);
  const extended = { op: 'replace', path: ENTERPRISE, value: { division: 'Research' } };
  const { body: changed } = await change(created.meta.version, extended).expect(200);
  expect(changed[ENTERPRISE]).toEqual({ division: 'Research' });
  await change(created.meta.version, extended).expect(412);
  const added = { op: 'add', path: ENTERPRISE, value: { costCenter: '200' } };
  const { body: merged } = await change(changed.meta.version, added).expect(200);
  expect(merged[ENTERPRISE]).toEqual({ division: 'Research', costCenter: '200' });
  const { body: bare } = await change(merged.meta.version, { op: 'remove', path: ENTERPRISE }).expect(200);
  expect(bare).not.toHaveProperty([ENTERPRISE]);
  expect(bare.schemas).toEqual([USER]);

  const { body: inactive } = await change(bare.meta.version, { op: 'replace', path: 'active', value: false });
  expect(inactive.active).toBe(false);
  await scim.delete(one).expect(204);
  expect((await scim.get(one).expect(404)).body.status).toBe('404');
});

it('reads every page, by position and by cursor', async () => {
  const people = Array.from({ length: 25 }, (_, n) => ({ name: `P ${n}`, email: `p${n}@example.com` }));
  await scim.api.post('/api/v1/users/batch', { users: people }).expect(200);
  const attributes = 'userName,emails[primary eq true].value';
  const byPosition: Body[] = [];
  for (let total = 1; byPosition.length < total;) {
    const startIndex = `${byPosition.length + 1}`;
    const page = await get(`/Users?${query({ attributes, startIndex, count: '10' })}`);
    total = page.totalResults;
    byPosition.push(...page.Resources);
  }
  const byCursor: Body[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const page: Body = await get(`/Users?${query({ attributes, cursor, count: '10' })}`);
    cursor = page.nextCursor;
    byCursor.push(...page.Resources);
  }
  const emails = people.map(({ email }) => email).sort();
  expect(byPosition.map((user) => user.emails[0].value).sort()).toEqual(emails);
  expect(byCursor).toEqual(byPosition);
  for (const user of byCursor)
    expect(Object.keys(user).sort()).toEqual(['emails', 'id', 'schemas', 'userName']);
});
