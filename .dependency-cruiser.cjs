/**
 * The rooms of `src/` and the rooms that each may import. Data flows one way, so no arrow runs back up.
 * docs/architecture.md says what each is for.
 */
const ROOMS = {
  database: [],
  crypto: [],
  http: ['database'],
  pages: ['http', 'database'],
  dashboard: ['http'],
  docs: ['http'],
  health: ['http', 'database'],
  'rate-limit': ['http', 'database', 'background'],
  events: ['http', 'pages', 'database', 'background'],
  tokens: ['http', 'pages', 'database', 'background', 'events', 'rate-limit'],
  webhooks: ['http', 'crypto', 'pages', 'database', 'background', 'events', 'tokens'],
  auth: ['http', 'database', 'tokens', 'events', 'users'],
  'sign-in': ['http', 'crypto', 'database', 'background', 'rate-limit', 'auth', 'tokens', 'dashboard'],
  background: ['database'],
  idempotency: ['http', 'database', 'background'],
  users: ['http', 'pages', 'database', 'background', 'idempotency', 'events'],
  groups: ['http', 'pages', 'database', 'events', 'users'],
  scim: ['http', 'pages', 'database', 'users', 'groups'],
  statistics: ['http', 'pages', 'database', 'auth', 'users'],
  'user-export': ['http', 'pages', 'database', 'users', 'groups', 'scim', 'events'],
  demo: ['http', 'users'],
  metrics: ['http', 'database', 'health', 'rate-limit', 'tokens', 'events', 'webhooks'],
  process: [
    'http',
    'database',
    'auth',
    'tokens',
    'rate-limit',
    'demo',
    'health',
    'metrics',
    'webhooks',
    'sign-in',
  ],
  embedding: [
    'http',
    'database',
    'auth',
    'tokens',
    'users',
    'groups',
    'events',
    'rate-limit',
    'webhooks',
    'sign-in',
  ],
  cli: [
    'http',
    'pages',
    'database',
    'background',
    'auth',
    'tokens',
    'idempotency',
    'users',
    'groups',
    'events',
    'demo',
    'process',
    'webhooks',
  ],
};

/** The files of `src/` itself that a room may import; everything else there is an entry point. */
const ROOTS = {
  process: ['app.module', 'schema', 'service.module', 'service.options'],
  embedding: ['schema', 'service.module', 'service.options'],
  cli: ['schema', 'service.module'],
};

const rule = (name, from, to, comment) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { path: to },
  comment,
});

const rooms = Object.entries(ROOMS).map(([room, allowed]) => {
  const roots = (ROOTS[room] ?? []).map((file) => `${file}\\.ts$`);
  const open = [room, ...allowed].map((name) => `${name}/`).concat(roots);
  return rule(`room-${room}`, `^src/${room}/`, `^src/(?!${open.join('|')})`);
});

/** The folders of a room that may import only these others of it, and none of its own files: arrows run down there, too. */
const INNER = {
  'src/users': { user: [], search: ['user'], deleted: ['user', 'search'], batch: ['user', 'search'] },
  'src/groups': { group: [], members: ['group'] },
  'src/scim': {
    schema: [],
    filter: ['schema'],
    patch: ['schema', 'filter'],
    wire: ['schema', 'filter'],
    users: ['schema', 'filter', 'patch', 'wire'],
    groups: ['schema', 'filter', 'patch', 'wire'],
  },
  'src/events': { event: [], log: ['event'], subscribers: ['event', 'log'] },
  'src/webhooks': {
    address: [],
    secrets: [],
    webhook: ['address', 'secrets'],
    deliveries: ['address', 'secrets', 'webhook'],
  },
  'src/sign-in': { source: [], oidc: ['source'] },
};
const inner = Object.entries(INNER).flatMap(([room, folders]) =>
  Object.entries(folders).map(([folder, allowed]) =>
    rule(`${room}/${folder}`, `^${room}/${folder}/`, `^${room}/(?!(${[folder, ...allowed].join('|')})/)`),
  ),
);

module.exports = {
  forbidden: [
    ...inner,
    ...rooms,
    rule('every-folder-is-a-room', `^src/(?!(${Object.keys(ROOMS).join('|')})/)[^/]+/`, '.'),
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
      from: { path: '^(src|csv|migrations)' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    rule(
      'controllers-never-touch-the-database',
      '\\.controller\\.ts$',
      '(^src/database/|node_modules/typeorm/)',
    ),
    rule('services-know-no-request', '\\.service\\.ts$', '(node_modules/(@types/)?express/|\\.guard\\.ts$)'),
    rule('serializers-are-pure', '\\.serializer\\.ts$', '(\\.service\\.ts$|node_modules/@nestjs/)'),
    rule(
      'the-page-uses-the-public-api-only',
      '^dashboard/',
      '^(?!dashboard/|client/|csv/|node_modules/preact/)',
      'It can do nothing that a client could not.',
    ),
    rule('no-page-in-the-product', '^(src|migrations|client)/', '^dashboard/'),
    rule('csv-stands-alone', '^csv/', '^(?!csv/|node_modules/(@types/)?papaparse/)'),
    rule('csv-is-for-the-command-line', '^src/(?!cli/)', '^csv/'),
    rule('no-tests-in-the-product', '^(src|migrations)/', '^test/'),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(client/)?dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'types', 'default'],
    },
  },
};
