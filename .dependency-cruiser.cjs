/**
 * The rooms of `src/` that know no feature: each may import those before it. docs/architecture.md says what each is
 * for.
 */
const GROUND = ['feature', 'crypto', 'fairness', 'database', 'http', 'pages', 'background', 'issuers'];

/** The other rooms, which stand on that ground, and those of them that each may import. No arrow runs back up. */
const ROOMS = {
  dashboard: [],
  docs: [],
  health: [],
  demo: ['users'],
  'rate-limit': [],
  idempotency: [],
  events: [],
  tokens: ['events', 'rate-limit'],
  users: ['idempotency', 'events'],
  organizations: ['tokens', 'events', 'users'],
  operator: ['organizations', 'tokens'],
  auth: ['organizations', 'tokens'],
  oauth: ['auth', 'organizations', 'tokens', 'rate-limit'],
  groups: ['events', 'users'],
  scim: ['users', 'groups', 'rate-limit'],
  webhooks: ['organizations', 'events', 'tokens'],
  statistics: ['organizations', 'users'],
  'user-export': ['users', 'groups', 'scim', 'events'],
  'sign-in': ['rate-limit', 'organizations', 'tokens', 'dashboard'],
  metrics: ['health', 'rate-limit', 'tokens', 'events', 'webhooks'],
  process: [
    'organizations',
    'tokens',
    'rate-limit',
    'demo',
    'health',
    'metrics',
    'webhooks',
    'sign-in',
    'oauth',
  ],
  embedding: [
    'auth',
    'organizations',
    'tokens',
    'users',
    'groups',
    'events',
    'rate-limit',
    'webhooks',
    'sign-in',
    'oauth',
  ],
  cli: ['organizations', 'tokens', 'idempotency', 'users', 'groups', 'events', 'demo', 'process', 'webhooks'],
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

const roomRule = (room, allowed) => {
  const open = [room, ...allowed].map((name) => `${name}/`);
  const roots = (ROOTS[room] ?? []).map((file) => `${file}\\.ts$`);
  return rule(`room-${room}`, `^src/${room}/`, `^src/(?!${[...open, ...roots].join('|')})`);
};
const rooms = [
  ...GROUND.map((room, place) => roomRule(room, GROUND.slice(0, place))),
  ...Object.entries(ROOMS).map(([room, allowed]) => roomRule(room, [...GROUND, ...allowed])),
];

/**
 * The folders of a room that may import only these others of it, and none of its own files: arrows run down there, too.
 */
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

/**
 * The rooms of `dashboard/` in the same form. Each may import `store.ts`; the other files of `dashboard/` itself are
 * above.
 */
const PAGE_GROUND = ['router', 'session', 'ui'];
const PAGE_ROOMS = {
  'sign-in': [],
  'users/user': [],
  'tokens/token': [],
  activity: ['users/user'],
  deleted: ['users/user'],
  groups: ['users/user'],
  webhooks: ['activity'],
  overview: ['activity', 'webhooks'],
  'users/edit': ['users/user', 'groups'],
  'users/bulk': ['users/user'],
  'users/import': ['users/(user|bulk)'],
  'users/export': ['users/user', 'users/bulk'],
  'users/list': ['users/(user|edit|bulk|import|export)', 'groups', 'deleted'],
  'users/detail': ['users/(user|edit)', 'activity', 'deleted'],
  'tokens/list': ['tokens/token'],
  'tokens/detail': ['tokens/token', 'activity'],
  frame: ['tokens/token'],
};
const pageRule = (room, allowed) => {
  const open = [room, ...allowed].map((name) => `${name}/`);
  return rule(`page-${room}`, `^dashboard/${room}/`, `^dashboard/(?!${open.join('|')}|store\\.ts$)`);
};
const pageRooms = [
  ...PAGE_GROUND.map((room, place) => pageRule(room, PAGE_GROUND.slice(0, place))),
  ...Object.entries(PAGE_ROOMS).map(([room, allowed]) => pageRule(room, [...PAGE_GROUND, ...allowed])),
];

module.exports = {
  forbidden: [
    ...inner,
    ...pageRooms,
    ...rooms,
    rule('every-folder-is-a-room', `^src/(?!(${[...GROUND, ...Object.keys(ROOMS)].join('|')})/)[^/]+/`, '.'),
    rule(
      'every-folder-of-the-page-is-a-room',
      `^dashboard/(?!(${[...PAGE_GROUND, ...Object.keys(PAGE_ROOMS)].join('|')})/).+/`,
      '.',
    ),
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
      '(^src/platform/database/|node_modules/typeorm/)',
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
