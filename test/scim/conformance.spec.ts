import { readFileSync } from 'node:fs';
import type { Attribute } from '../../src/scim/schema/attribute';
import { resourceTypes, schemas, serviceProviderConfig } from '../../src/scim/schema/discovery';
import { GROUP as GROUPS } from '../../src/scim/schema/group.schema';
import type { ResourceSchema } from '../../src/scim/schema/resource-schema';
import { USER as USERS } from '../../src/scim/schema/user.schema';
import { type Body, ENTERPRISE, GROUP, USER, useScim } from '../support/scim';
import { allOf, faultsOf, type Referred, sampleOf, samplesOf } from '../support/scim-schemas';

// What scim2-tester checks: all that /Schemas declares can be written and read, and nothing else is returned.

const { scim } = useScim();

const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0';
const get = async (path: string): Promise<Body> => (await scim.get(path).expect(200)).body;
const schema = (name: string) => get(`/Schemas/${SCHEMA}:${name}`);

describe('discovery', () => {
  it('is what its own schemas declare', async () => {
    const [ofSchema, ofType, ofConfig] = await Promise.all(
      ['Schema', 'ResourceType', 'ServiceProviderConfig'].map(schema),
    );
    // No schema can declare its own recursion: that of schemas declares two levels, and has three.
    const third = 'attributes.subAttributes.subAttributes is not declared';
    const described = async (path: string, { attributes, id }: Body) => {
      const { Resources, ...one } = await get(path);
      for (const resource of Resources ?? [one]) {
        const faults = faultsOf(attributes, resource).filter((fault) => fault !== third);
        expect([resource.id, resource.schemas, faults]).toEqual([resource.id, [id], []]);
      }
    };
    await described('/Schemas', ofSchema);
    await described('/ResourceTypes', ofType);
    await described('/ServiceProviderConfig', ofConfig);
  });

  it('lists every schema once, by its URN, with keywords that its own schema declares', async () => {
    const { totalResults, itemsPerPage, startIndex, Resources } = await get('/Schemas');
    expect([totalResults, itemsPerPage, startIndex]).toEqual([6, 6, 1]);
    expect(Resources.map(({ name }: Body) => name)).toEqual([
      ...['User Account', 'EnterpriseUser', 'Group'],
      ...['Schema', 'ResourceType', 'ServiceProviderConfig'],
    ]);
    for (const resource of Resources) expect(await get(`/Schemas/${resource.id}`)).toEqual(resource);
    const [{ subAttributes }] = (await schema('Schema')).attributes.slice(-1);
    for (const { attributes } of Resources)
      for (const attribute of allOf(attributes)) {
        for (const { name, canonicalValues } of subAttributes as Attribute[])
          if (canonicalValues && name in attribute)
            expect(canonicalValues).toContain(attribute[name as keyof Attribute]);
        expect(attribute.name).toMatch(/^[$a-z][\w$-]*$/i);
        expect('subAttributes' in attribute).toBe(attribute.type === 'complex');
        expect('referenceTypes' in attribute).toBe(attribute.type === 'reference');
      }
  });

  it('names schemas that are there', async () => {
    const ids = (await get('/Schemas')).Resources.map(({ id }: Body) => id);
    const { Resources: types } = await get('/ResourceTypes');
    for (const { schema, schemaExtensions = [], endpoint } of types) {
      expect(ids).toEqual(
        expect.arrayContaining([schema, ...schemaExtensions.map((one: Body) => one.schema)]),
      );
      await scim.get(endpoint).expect(200);
    }
  });
});

/** The attributes of a type, by the names that are unique. */
const attributesOf = ({ core, extension }: ResourceSchema) =>
  [core, ...(extension ? [extension] : [])].flatMap(({ id: urn, attributes }) =>
    attributes.map((attribute) => ({
      attribute,
      urn,
      path: urn === core.id ? attribute.name : `${urn}:${attribute.name}`,
    })),
  );

describe.each([
  { ...USERS, patched: 200 },
  { ...GROUPS, patched: 204 },
])('$endpoint', ({ endpoint, core, extension, patched, ...declared }) => {
  const all = attributesOf({ endpoint, core, extension, ...declared });
  const userOf = async (): Promise<Referred> => {
    const { body } = await scim.post('/Users', { userName: `u${Math.random()}@example.com` }).expect(201);
    return { id: body.id, location: body.meta.location };
  };
  const whole = async () => {
    const user = await userOf();
    return {
      schemas: [core.id, ...(extension ? [extension.id] : [])],
      ...samplesOf(core.attributes, user),
      ...(extension && { [extension.id]: samplesOf(extension.attributes, user) }),
    };
  };
  const create = async () => {
    const required = core.attributes.filter((attribute) => attribute.required);
    return (await scim.post(endpoint, samplesOf(required, await userOf())).expect(201)).body.id as string;
  };
  const patch = (id: string, operation: object) => scim.change(`${endpoint}/${id}`, operation);
  const expectDeclared = ({ [extension?.id ?? '']: extended = {}, ...body }: Body) =>
    expect([
      ...faultsOf(core.attributes, body),
      ...faultsOf(extension?.attributes ?? [], extended, `${extension?.id}:`),
    ]).toEqual([]);

  it('gives back what POST and PUT have given, and what is declared alone', async () => {
    const given = await whole();
    const { body: created } = await scim.post(endpoint, given).expect(201);
    expect(created).toMatchObject(given);
    expectDeclared(created);
    expect(await get(`${endpoint}/${created.id}`)).toEqual(created);
    const other = await whole();
    const { body: replaced } = await scim.put(`${endpoint}/${created.id}`, other).expect(200);
    expect(replaced).toMatchObject(other);
    expectDeclared(replaced);
  });

  it('adds, replaces, selects, leaves out and removes each attribute', async () => {
    for (const { attribute, urn, path } of all.filter((one) => one.attribute.mutability !== 'readOnly')) {
      const { name, required, multiValued } = attribute;
      const partOf = (body: Body) => (urn === core.id ? body : (body[urn] ?? {}))[name];
      const id = await create();
      const url = `${endpoint}/${id}`;
      const change = async (operation: object, expected: { status: number; scimType?: string }) => {
        const { status, body } = await patch(id, { ...operation, path });
        expect({ operation, path, status, scimType: body.scimType }).toEqual({
          operation,
          path,
          ...expected,
        });
      };
      for (const op of ['add', 'replace']) {
        const value = sampleOf(attribute, await userOf());
        await change({ op, value }, { status: patched });
        const body = await get(url);
        const { schemas } = body;
        expectDeclared(body);
        expect(schemas).toContain(urn);
        // `add` to a list leaves what was there.
        const last = multiValued ? partOf(body).slice(-1) : partOf(body);
        expect({ path, last }).toMatchObject({ path, last: value });
        const query = encodeURIComponent(path);
        const part = urn === core.id ? { [name]: partOf(body) } : { [urn]: { [name]: partOf(body) } };
        expect(await get(`${url}?attributes=${query}`)).toEqual({ schemas, id, ...part });
        expect({ path, left: partOf(await get(`${url}?excludedAttributes=${query}`)) }).toEqual({ path });
      }
      if (required) {
        for (const operation of [{ op: 'remove' }, { op: 'replace', value: null }])
          await change(operation, { status: 400, scimType: 'invalidValue' });
      } else {
        await change({ op: 'remove' }, { status: patched });
        expect({ path, left: partOf(await get(url)) ?? [] }).toEqual({ path, left: [] }); // an empty list is none
      }
    }
  });

  it('changes nothing that is declared read-only', async () => {
    const readOnly = all.filter(({ attribute }) => attribute.mutability === 'readOnly');
    const id = await create();
    const before = await get(`${endpoint}/${id}`);
    for (const { path } of [...readOnly, { path: 'id' }, { path: 'meta' }, { path: 'schemas' }]) {
      const { body } = await patch(id, { op: 'replace', path, value: 'x' }).expect(400);
      expect(body.scimType).toBe('mutability');
      await patch(id, { op: 'replace', value: { [path]: 'x' } }).expect(patched);
    }
    expect(await get(`${endpoint}/${id}`)).toEqual(before);
  });
});

describe('the declarations', () => {
  const base = 'https://users.example.com/scim/v2';
  const byId = Object.fromEntries(schemas(base).map((schema) => [schema.id, schema]));
  const attributesOf = (id: string) => byId[id].attributes as Attribute[];

  describe('/Schemas', () => {
    it('has every attribute of RFC 7643 but the password, and so every target of the default mapping of Entra', () => {
      const names = (id: string) => attributesOf(id).map(({ name }) => name);
      expect(new Set(names(USER))).toEqual(
        new Set([
          ...['userName', 'externalId', 'name', 'displayName', 'nickName', 'profileUrl', 'title', 'userType'],
          ...['preferredLanguage', 'locale', 'timezone', 'active', 'emails', 'phoneNumbers', 'ims', 'photos'],
          ...['addresses', 'groups', 'entitlements', 'roles', 'x509Certificates'],
        ]),
      );
      expect(names(ENTERPRISE)).toEqual([
        ...['employeeNumber', 'costCenter', 'organization', 'division', 'department', 'manager'],
      ]);
      const parts = Object.fromEntries(
        [...attributesOf(USER), ...attributesOf(ENTERPRISE)].flatMap(({ name, subAttributes }) =>
          subAttributes ? [[name, subAttributes.map((sub) => sub.name).join(' ')]] : [],
        ),
      );
      const value = 'value display type primary';
      expect(parts).toEqual({
        name: 'formatted familyName givenName middleName honorificPrefix honorificSuffix',
        addresses: 'formatted streetAddress locality region postalCode country type primary',
        groups: 'value $ref display',
        manager: 'value $ref displayName',
        ...{ emails: value, phoneNumbers: value, ims: value, photos: value, roles: value },
        ...{ entitlements: value, x509Certificates: value },
      });
    });

    it('has canonical values of types', () => {
      const types = [USER, ENTERPRISE, GROUP]
        .flatMap(attributesOf)
        .flatMap(({ name, subAttributes = [] }) => {
          const type = subAttributes.find((sub) => sub.name === 'type');
          return type ? [[name, type.canonicalValues?.join(' ')]] : [];
        });
      expect(Object.fromEntries(types)).toEqual({
        emails: 'work home other',
        phoneNumbers: 'work mobile fax home other',
        ims: 'aim gtalk icq xmpp msn skype qq yahoo',
        photos: 'photo thumbnail',
        addresses: 'work home other',
        members: 'User',
        ...{ roles: undefined, entitlements: undefined, x509Certificates: undefined },
      });
    });

    it('has references and binary values as RFC 7643 has them', () => {
      const byName = Object.fromEntries(
        [...attributesOf(USER), ...attributesOf(ENTERPRISE)].map((attribute) => [attribute.name, attribute]),
      );
      const part = (name: string, sub: string) => byName[name].subAttributes!.find((one) => one.name === sub);
      const external = { type: 'reference', referenceTypes: ['external'], caseExact: true };
      expect(byName.profileUrl).toMatchObject(external);
      expect(part('photos', 'value')).toMatchObject(external);
      expect(part('manager', '$ref')).toMatchObject({ type: 'reference', referenceTypes: ['User'] });
      expect(part('x509Certificates', 'value')).toMatchObject({ type: 'binary', caseExact: true });
    });

    it('declares required what Microsoft must not set to null', () => {
      const required = (id: string) =>
        attributesOf(id).flatMap(({ name, required }) => (required ? [name] : []));
      expect(required(USER)).toEqual(['userName', 'active', 'emails']);
      expect(required(GROUP)).toEqual(['displayName']);
      const value = attributesOf(USER).find(({ name }) => name === 'emails')!.subAttributes![0];
      expect(value).toMatchObject({ name: 'value', required: true });
    });

    it('has attributes as RFC 7643 has them, groups read-only, no password and none of its own limits', () => {
      const groups = attributesOf(USER).find(({ name }) => name === 'groups');
      expect(groups).toMatchObject({ mutability: 'readOnly' });
      expect(JSON.stringify(schemas(base))).not.toMatch(/"password|maxLength|isKeyed/);
      expect(attributesOf(USER)[0]).toEqual({
        name: 'userName',
        type: 'string',
        multiValued: false,
        description: expect.any(String),
        required: true,
        caseExact: false,
        mutability: 'readWrite',
        returned: 'default',
        uniqueness: 'server',
      });
    });
  });

  it('has absolute locations', () => {
    const locations = [serviceProviderConfig(base), ...resourceTypes(base), ...schemas(base)].map(
      ({ meta }) => meta.location,
    );
    expect(locations).toEqual([
      `${base}/ServiceProviderConfig`,
      `${base}/ResourceTypes/User`,
      `${base}/ResourceTypes/Group`,
      `${base}/Schemas/${USER}`,
      `${base}/Schemas/${ENTERPRISE}`,
      ...['Group', 'Schema', 'ResourceType', 'ServiceProviderConfig'].map(
        (name) => `${base}/Schemas/urn:ietf:params:scim:schemas:core:2.0:${name}`,
      ),
    ]);
  });

  it('says what is supported', () => {
    expect(serviceProviderConfig(base)).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      sort: { supported: false },
      etag: { supported: true },
      changePassword: { supported: false },
      pagination: { cursor: true, index: true },
      authenticationSchemes: [{ type: 'oauthbearertoken' }],
      interopProfileConformant: false,
    });
  });
});

const blocks = [...readFileSync('docs/scim.md', 'utf8').matchAll(/```http\n([^\n]*)\n([^`]*)```/g)].map(
  ([, line, body]) => ({ line, body: body.trim() === '' ? undefined : JSON.parse(body) }),
);

it('the requests in docs/scim.md have the responses that follow them', async () => {
  expect(blocks).toHaveLength(12);
  let id = '';
  for (let n = 0; n < blocks.length; n += 2) {
    const { line, body } = blocks[n];
    const [, method, path] = /^(\w+) (.*)$/.exec(line)!;
    const address = encodeURI(path.replace('{id}', id));
    const send = scim[method.toLowerCase() as 'get' | 'post' | 'patch'];
    const response = await (path.startsWith('/api') ? scim.api.get(address) : send(address, body));
    const { line: status, body: shown } = blocks[n + 1];
    expect([line, response.status]).toEqual([line, Number(status)]);
    expect(response.body).toMatchObject(shown);
    id ||= response.body.id;
  }
});
