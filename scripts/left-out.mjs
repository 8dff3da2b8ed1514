// Suites that are not run on an engine, by the beginning of their file names, each with the reason. Another engine runs them.

const BEFORE = 'it tests what happens before the database is asked';
const DOCUMENT = 'the document does not depend on the database';
const REQUESTS = 'other suites send its requests';
const PAGES = 'the requests of the dashboard are those of the API';
const RECEIVERS = 'it tests what receivers answer; webhook-turns tests who delivers';

/** Left out on a server, because the embedded database runs them. */
export const ON_SERVERS = {
  'bodies.': BEFORE,
  'client.': REQUESTS,
  'connections.': BEFORE,
  'cors.': BEFORE,
  'dashboard.': PAGES,
  'dashboard-last-admin': PAGES,
  'dashboard-screenshots': PAGES,
  'hostile-input': BEFORE,
  'http.': BEFORE,
  'openapi.': DOCUMENT,
  'readme.': 'it runs the commands of a first start',
  'scim-director': REQUESTS,
  'scim-hostile': BEFORE,
  'scim-wire': BEFORE,
  'snippets.': REQUESTS,
  'webhook-attempts': RECEIVERS,
};

/** Left out on a cluster, because the embedded database or a plain server runs them. */
export const ON_CLUSTERS = {
  ...ON_SERVERS,
  'api-reference': DOCUMENT,
  dashboard: PAGES,
  embedding: 'a host migrates an empty database; test/citus/distribute.test.mjs distributes its tables',
  'import-files': 'it tests the files; what is written are batches',
  'large-jobs': 'it tests the commands; what is written are batches',
  'openapi-input': DOCUMENT,
  'operations.': 'a process starts and stops the same way on a cluster',
  'plans.': 'it reads the plans of plain tables',
  'process.': 'a process starts and stops the same way on a cluster',
  'schema.': 'it checks what migrations do to an empty database',
  'scim-plans.': 'it reads the plans of plain tables',
  'sign-in-host': PAGES,
  'sign-in.slow': PAGES,
  'start-failures': 'it starts without a database',
  'token-life.slow': 'it watches the locks of a single server',
  'unread-responses': 'it tests sockets',
  'webhooks.slow': RECEIVERS,
};
