/** Enforces the direction of data: request → guards → controller → service → repository → serializer. */
const rule = (name, from, to, comment) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { path: to },
  comment,
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: '\\.d\\.ts$|^scripts/|^test/' },
      to: {},
    },
    {
      name: 'no-dev-dependency-in-the-product',
      severity: 'error',
      from: { path: '^(src|migrations)' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    rule('no-feature-in-http', '^src/http/', '^src/(users|tokens|organizations|rate-limit|health)/'),
    rule(
      'no-feature-in-database',
      '^src/database/',
      '^src/(users|tokens|organizations|rate-limit|health|http|auth)/',
    ),
    rule('features-stay-apart', '^src/users/', '^src/(tokens|organizations|rate-limit|health)/'),
    rule('tokens-stay-apart', '^src/tokens/', '^src/(users|organizations|rate-limit|health)/'),
    rule(
      'features-know-the-vocabulary-of-auth-only',
      '^src/(users|tokens|organizations)/',
      '^src/auth/(?!(scopes|scopes\\.decorator|caller\\.decorator|authenticated-request)\\.ts$)',
    ),
    rule(
      'controllers-never-touch-the-database',
      '\\.controller\\.ts$',
      '(^src/database/|node_modules/typeorm/)',
    ),
    rule('services-know-no-request', '\\.service\\.ts$', '(node_modules/(@types/)?express/|\\.guard\\.ts$)'),
    rule('serializers-are-pure', '\\.serializer\\.ts$', '(\\.service\\.ts$|node_modules/@nestjs/)'),
    rule(
      'the-page-talks-to-the-public-api-only',
      '^dashboard/',
      '^(?!dashboard/|client/|node_modules/preact/)',
      'The dashboard can do only what any client can.',
    ),
    rule('no-page-in-the-product', '^(src|migrations|client)/', '^dashboard/'),
    rule('the-server-of-the-page-knows-no-feature', '^src/dashboard/', '^src/(?!http/|dashboard/)'),
    rule('no-tests-in-the-product', '^(src|migrations)/', '^test/'),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'types', 'default'],
    },
  },
};
