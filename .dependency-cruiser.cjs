/**
 * `src/` has three floors. Each may import from itself and from those before it: what knows no feature, the features,
 * and the ways in. docs/architecture.md says what each folder is for.
 */
const PLATFORM = 'src/platform';
const ENTRY = 'src/entry';

/** The rooms of `src/platform/`: each may import those before it. */
const PLATFORM_ROOMS = [
  'feature',
  'crypto',
  'fairness',
  'database',
  'http',
  'pages',
  'background',
  'issuers',
  'rate-limit',
  'idempotency',
];

/** The features, and those of them that each may import. Each may import all of `src/platform/`. */
const FEATURES = {
  dashboard: [],
  docs: [],
  events: [],
  tokens: ['events'],
  users: ['events'],
  organizations: ['tokens', 'events', 'users'],
  operator: ['organizations', 'tokens'],
  auth: ['organizations', 'tokens'],
  oauth: ['auth', 'organizations', 'tokens'],
  groups: ['events', 'users'],
  scim: ['users', 'groups'],
  webhooks: ['organizations', 'events', 'tokens'],
  statistics: ['organizations', 'users'],
  settings: ['events', 'oauth', 'tokens', 'users', 'webhooks'],
  'user-export': ['users', 'groups', 'scim', 'events'],
  'sign-in': ['organizations', 'tokens', 'dashboard'],
};

/** The rooms of `src/entry/`, and those of them that each may import. Each may import all features. */
const ENTRY_ROOMS = {
  health: [],
  demo: [],
  metrics: ['health'],
  process: ['demo', 'health', 'metrics'],
  embedding: ['health', 'metrics'],
  testing: [],
  cli: ['demo', 'process'],
};

/** The files of `src/` itself that a way in may import; everything else there is an entry point. */
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

/** A folder that may import only itself and these paths of `src/`. */
const roomRule = (folder, allowed, comment) =>
  rule(
    `room ${folder.slice('src/'.length)}`,
    `^${folder}/`,
    `^(?!${[folder, ...allowed].map((path) => path + (path.endsWith('.ts') ? '$' : '/')).join('|')})src/`,
    comment,
  );

const platformRooms = PLATFORM_ROOMS.map((name, place) =>
  roomRule(
    `${PLATFORM}/${name}`,
    PLATFORM_ROOMS.slice(0, place).map((lower) => `${PLATFORM}/${lower}`),
    'A room of src/platform/ imports only rooms before it in PLATFORM_ROOMS, and no feature. If it needs ' +
      'to know something of a feature, let the feature declare or register it.',
  ),
);
const features = Object.entries(FEATURES).map(([name, allowed]) =>
  roomRule(
    `src/${name}`,
    [PLATFORM, ...allowed.map((other) => `src/${other}`)],
    'A feature imports src/platform/ and the features that FEATURES allows it. Add one there only if the ' +
      'arrow does not run back up, and if what you import is exported by its module.',
  ),
);
const waysIn = Object.entries(ENTRY_ROOMS).map(([name, allowed]) =>
  roomRule(
    `${ENTRY}/${name}`,
    [
      PLATFORM,
      ...Object.keys(FEATURES).map((feature) => `src/${feature}`),
      ...allowed.map((other) => `${ENTRY}/${other}`),
      ...(ROOTS[name] ?? []).map((file) => `src/${file}.ts`),
    ],
    'A way in imports every feature, but only those other ways in that ENTRY_ROOMS allows it, and the ' +
      'files of ROOTS.',
  ),
);
const floors = [
  rule(
    'floor platform',
    `^${PLATFORM}/`,
    `^src/(?!platform/)`,
    'src/platform/ knows no feature. Let the feature declare what the platform needs (static feature), or ' +
      'register it at the start.',
  ),
  rule(
    'floor features',
    `^src/(?!platform/|entry/)[^/]+/`,
    `^src/(entry/|[^/]+\\.ts$)`,
    'A feature knows neither how the service is started nor the other features as a list. Move what both ' +
      'need to src/platform/.',
  ),
  rule(
    'every folder is a room',
    `^(?!${[...platformRooms, ...features, ...waysIn].map(({ from }) => from.path.slice(1)).join('|')})src/[^/]+/`,
    '.',
    'Add the new folder of src/ to FEATURES in .dependency-cruiser.cjs (or to PLATFORM_ROOMS if it knows ' +
      'no feature, or to ENTRY_ROOMS if it is a way in), to the picture and the table of ' +
      'docs/architecture.md, and to a row of .ci/rooms.mjs.',
  ),
];

/**
 * The folders of a room that may import only these others of it, and none of its own files: arrows run down there, too.
 */
const INNER = {
  'src/users': {
    user: [],
    query: ['user'],
    search: ['user', 'query'],
    batch: ['user', 'search'],
    deleted: ['user', 'query', 'search', 'batch'],
  },
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
  'src/tokens': { token: [] },
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
  settings: [],
  groups: ['users/user'],
  webhooks: ['activity'],
  overview: ['activity', 'webhooks', 'tokens/token'],
  'users/edit': ['users/user'],
  'users/bulk': ['users/user'],
  'users/import': ['users/user'],
  'users/export': ['users/user', 'users/bulk'],
  'users/list': ['users/(user|edit|bulk|export)', 'groups', 'deleted'],
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
    ...floors,
    ...platformRooms,
    ...features,
    ...waysIn,
    rule(
      'every-folder-of-the-page-is-a-room',
      `^dashboard/(?!(${[...PAGE_GROUND, ...Object.keys(PAGE_ROOMS)].join('|')})/).+/`,
      '.',
      'Add the new folder of dashboard/ to PAGE_ROOMS in .dependency-cruiser.cjs, with the rooms that it may import.',
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
      // Of an optional peer, dependency-cruiser also says 'npm-no-pkg', because of peerDependenciesMeta.
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['npm-peer'],
      },
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
    rule('csv-is-for-the-command-line', '^src/(?!entry/cli/)', '^csv/'),
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
