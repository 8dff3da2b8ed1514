/**
 * @only embedded: it tests which rules match
 */
import { newId } from '../../src/platform/database/id';
import { ACME, expectFailure, GLOBEX, useAssertions } from '../support/assertions';

const { exchanged, clientWith } = useAssertions((issuer) => [
  `${issuer} sub=main -> ${ACME} users:read`,
  `${issuer} sub=strict ref=refs/heads/main environment=production -> ${ACME} users:read`,
  `${issuer} sub=listed groups=deployers -> ${ACME} users:read`,
  `${issuer} sub=typed run=7 protected=true -> ${ACME} users:read`,
  `${issuer} sub=mail email=ci@acme.example -> ${ACME} users:read`,
  `${issuer} sub=repo:acme/* -> ${ACME} users:read`,
  `${issuer} sub=^.*$ -> ${ACME} users:read`,
  `${issuer} sub=united -> ${ACME} users:read`,
  `${issuer} sub=united ref=main -> ${ACME} users:write users:read`,
  `${issuer} sub=several -> ${ACME} users:read`,
  `${issuer} sub=several -> ${GLOBEX} users:write`,
  `${issuer} sub=boss -> ${GLOBEX} admin`,
  `${issuer} sub=inherited __proto__=x -> ${ACME} users:read`,
]);

/** The claims that the rules look at, in their order. */
const LOOKED_AT = 'sub, ref, environment, groups, run, protected, email, __proto__.';

const expectNoRule = async (claims: object) => {
  const answer = await exchanged(claims);
  expectFailure(answer, 'invalid_grant', /^No rule of this service matches the assertion\. /);
  expect(answer.body.error_description).toMatch(new RegExp(`These claims were looked at: ${LOOKED_AT}$`));
};
const expectScope = async (claims: object, scope: string, fields: Record<string, string> = {}) => {
  const answer = await exchanged(claims, fields);
  expect([answer.status, answer.body]).toMatchObject([200, { scope }]);
};

describe('a rule', () => {
  it('matches a subject as a whole, and is no pattern', async () => {
    await expectScope({ sub: 'main' }, 'users:read');
    for (const sub of ['mai', 'main2', 'Main', ' main', 'main ', 'other', '', 'repo:acme/crm', 'anything'])
      await expectNoRule({ sub });
    for (const sub of ['repo:acme/*', '^.*$']) await expectScope({ sub }, 'users:read');
  });

  it('matches if all of its claims do', async () => {
    const claims = { sub: 'strict', ref: 'refs/heads/main', environment: 'production' };
    await expectScope(claims, 'users:read');
    for (const change of [
      { ref: 'refs/heads/x' },
      { environment: 'staging' },
      { sub: 'other' },
      { ref: undefined },
      { environment: undefined },
      { environment: null },
      { environment: { production: 'production' } },
    ])
      await expectNoRule({ ...claims, ...change });
  });

  it('matches a list by any of its elements', async () => {
    await expectScope({ sub: 'listed', groups: ['a', 'deployers', 'b'] }, 'users:read');
    await expectScope({ sub: 'listed', groups: 'deployers' }, 'users:read');
    for (const groups of [[], ['a'], ['deployers2'], [['deployers']], [{ deployers: true }], 'a deployers'])
      await expectNoRule({ sub: 'listed', groups });
  });

  it('matches numbers and booleans as they are written', async () => {
    await expectScope({ sub: 'typed', run: 7, protected: true }, 'users:read');
    await expectScope({ sub: 'typed', run: '7', protected: 'true' }, 'users:read');
    await expectNoRule({ sub: 'typed', run: 70, protected: true });
    await expectNoRule({ sub: 'typed', run: 7, protected: 1 });
  });

  it('matches an address only if it is verified, and one', async () => {
    const email = 'ci@acme.example';
    await expectScope({ sub: 'mail', email, email_verified: true }, 'users:read');
    for (const email_verified of [undefined, false, 'true', 1, null])
      await expectNoRule({ sub: 'mail', email, email_verified });
    await expectNoRule({ sub: 'mail', email: [email], email_verified: true });
    await expectNoRule({ sub: 'mail', email: 'CI@acme.example', email_verified: true });
  });

  it('matches only what the assertion itself says', async () => {
    await expectNoRule({ sub: 'inherited' });
    await expectScope(JSON.parse('{ "sub": "inherited", "__proto__": "x" }'), 'users:read');
  });
});

describe('rules that match', () => {
  it('are united if they are of one organization', async () => {
    await expectScope({ sub: 'united' }, 'users:read');
    await expectScope({ sub: 'united', ref: 'main' }, 'users:read users:write');
  });

  it('give admin only by name', async () => {
    await expectScope({ sub: 'boss' }, 'admin');
    expectFailure(await exchanged({ sub: 'united', ref: 'main' }, { scope: 'admin' }), 'invalid_scope', /./);
  });

  it('of several organizations leave the choice to organization_id', async () => {
    const unchosen = await exchanged({ sub: 'several' });
    expectFailure(unchosen, 'invalid_request', /^The field organization_id must be one of /);
    expect(unchosen.body.error_description).toContain(`${ACME}, ${GLOBEX}.`);
    for (const [organization_id, scope] of [
      [ACME, 'users:read'],
      [GLOBEX, 'users:write'],
    ]) {
      const answer = await exchanged({ sub: 'several' }, { organization_id });
      expect([answer.status, answer.body]).toMatchObject([200, { scope }]);
      const api = clientWith(answer);
      const status = organization_id === ACME ? 200 : 403;
      await api.get('/api/v1/users').expect(status);
    }
  });

  it('of one organization may be chosen, too', async () => {
    await expectScope({ sub: 'main' }, 'users:read', { organization_id: ACME });
  });

  it.each([
    ['another organization', () => GLOBEX],
    ['one that does not exist', () => newId('org')],
    ['no id', () => 'Acme'],
  ])('refuse %s', async (_what, organization_id) => {
    const answer = await exchanged({ sub: 'main' }, { organization_id: organization_id() });
    expectFailure(answer, 'invalid_grant', /^No rule gives access to the organization_id\.$/);
  });
});

describe('scope', () => {
  const united = { sub: 'united', ref: 'main' };

  it.each([
    ['all that the rules give', '', 'users:read users:write'],
    ['all of them by name', 'users:write users:read', 'users:write users:read'],
    ['one of them', 'users:write', 'users:write'],
    ['one that stands twice, once', 'users:read users:read', 'users:read'],
  ])('asks for %s', async (_what, scope, granted) => {
    await expectScope(united, granted, { scope });
  });

  it('asks for anything if the rule gives admin', async () => {
    for (const scope of ['users:delete', 'users:read users:write', 'admin users:read'])
      await expectScope({ sub: 'boss' }, scope, { scope });
  });

  it.each([
    'users:delete',
    'users:read users:delete',
    'admin',
    'users:*',
    'openid',
    'users:read,users:write',
  ])('cannot ask for %s', async (scope) => {
    const answer = await exchanged(united, { scope });
    expectFailure(answer, 'invalid_scope', /^The scope must name some of users:read, users:write\.$/);
  });

  it('that is narrower makes a token that can do no more', async () => {
    const api = clientWith(await exchanged(united, { scope: 'users:read' }));
    await api.get('/api/v1/users').expect(200);
    await api.post('/api/v1/users', {}).expect(403);
  });
});
