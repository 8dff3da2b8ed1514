/**
 * @only embedded: it uses no database
 */
import type { Attribute } from '../../src/scim/schema/attribute';
import { resourceTypes, schemas, serviceProviderConfig } from '../../src/scim/schema/discovery';

const base = 'https://users.example.com/scim/v2';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const byId = Object.fromEntries(schemas(base).map((schema) => [schema.id, schema]));
const attributesOf = (id: string) => byId[id].attributes as Attribute[];
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** The names that Microsoft's validator makes of a schema, and compares with the targets of its mapping. */
function flattened(attributes: readonly Attribute[], prefix = ''): string[] {
  return attributes.flatMap(({ name, type, multiValued, subAttributes = [] }) => {
    if (type !== 'complex') return [`${prefix}${name}`];
    if (!multiValued)
      return [`${prefix}${name}`, ...subAttributes.map((sub) => `${prefix}${name}.${sub.name}`)];
    const types = subAttributes.find((sub) => sub.name === 'type')?.canonicalValues;
    const filters = types ? types.map((value) => `type eq "${value}"`) : ['primary eq "True"'];
    return filters.flatMap((filter) => subAttributes.map((sub) => `${prefix}${name}[${filter}].${sub.name}`));
  });
}

describe('/Schemas', () => {
  it('has every target of the default mapping of Entra', () => {
    const names = [
      ...flattened(attributesOf(USER)),
      ...flattened(attributesOf(ENTERPRISE), `${ENTERPRISE}:`),
    ];
    expect(names).toEqual(
      expect.arrayContaining([
        'userName',
        'active',
        'displayName',
        'title',
        'externalId',
        'preferredLanguage',
        'emails[type eq "work"].value',
        'name.givenName',
        'name.familyName',
        'name.formatted',
        ...['formatted', 'streetAddress', 'locality', 'region', 'postalCode', 'country'].map(
          (name) => `addresses[type eq "work"].${name}`,
        ),
        'addresses[type eq "other"].formatted',
        ...['work', 'mobile', 'fax'].map((type) => `phoneNumbers[type eq "${type}"].value`),
        'roles[primary eq "True"].value',
        'roles[primary eq "True"].display',
        'roles[primary eq "True"].type',
        ...['employeeNumber', 'department', 'manager'].map((name) => `${ENTERPRISE}:${name}`),
      ]),
    );
  });

  it('has every attribute of RFC 7643 but the password', () => {
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
    const types = [USER, ENTERPRISE, 'urn:ietf:params:scim:schemas:core:2.0:Group']
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
    expect(required('urn:ietf:params:scim:schemas:core:2.0:Group')).toEqual(['displayName']);
    const value = attributesOf(USER).find(({ name }) => name === 'emails')!.subAttributes![0];
    expect(value).toMatchObject({ name: 'value', required: true });
  });

  it('declares groups read-only and no password, and keeps its own limits to itself', () => {
    expect(attributesOf(USER).find(({ name }) => name === 'groups')).toMatchObject({
      mutability: 'readOnly',
    });
    expect(JSON.stringify(schemas(base))).not.toMatch(/"password|maxLength|isKeyed/);
  });

  it('has attributes as RFC 7643 has them', () => {
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
