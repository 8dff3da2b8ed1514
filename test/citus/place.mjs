// A cluster whose nodes can be broken, with a distributed database of many organizations.
import { createRequire } from 'node:module';
import { databaseUrl, startCitus } from '../../scripts/citus.mjs';
import { ums } from '../faults/neighbours/places.mjs';
import { newDirectory } from '../faults/scene.mjs';
import { breakable } from '../faults/servers.mjs';

const require = createRequire(import.meta.url);
const { newTokenValue, hashOf, hintOf } = require('../../dist/src/tokens/token-value.js');
const { newId } = require('../../dist/src/platform/database/id.js');

const DATABASE = 'ums';

/**
 * Starts it, with so many organizations on each worker; `settings` are for every node, and a `spare` one has none until
 * addWorker(). An organization has a token, a user, and a `port`, that of its node.
 */
export async function openPlace({ organizations: count, spare = false, settings = {} }) {
  const cluster = await startCitus(newDirectory(), { workers: spare ? 3 : 2, ...settings });
  const [coordinator, ...workers] = cluster.nodes.map(breakable);
  const url = await cluster.createDatabase(DATABASE);
  const spareNode = spare && workers.pop();
  if (spare) await coordinator.query('SELECT citus_remove_node($1, $2)', ['127.0.0.1', spareNode.port], url);
  const query = (sql, values) => coordinator.query(sql, values, url);
  const environment = { DATABASE_URL: url };
  await ums(environment, 'migrate');
  await ums(environment, 'distribute');
  const organizations = [];
  const isMissing = ({ port }) => organizations.filter((other) => other.port === port).length < count;
  while (organizations.length < count * workers.length) {
    const organization = await newOrganization(query);
    if (isMissing(organization)) organizations.push(organization);
  }
  return {
    url,
    environment,
    coordinator,
    workers,
    organizations,
    query,
    /** Runs SQL on a node other than the coordinator. */
    queryOn: (node, sql, values) => node.query(sql, values, databaseUrl(node.url, DATABASE)),
    portOf: (id) => portOf(query, id),
    /** Makes the spare node a worker, and returns it. */
    async addWorker() {
      await query('SELECT citus_add_node($1, $2)', ['127.0.0.1', spareNode.port]);
      return spareNode;
    },
    stop: () =>
      Promise.all(
        [coordinator, ...workers, ...(spare ? [spareNode] : [])].map((node) => node.stop('SIGQUIT')),
      ),
  };
}

async function newOrganization(query) {
  const [id, userId, token] = [newId('org'), newId('usr'), newTokenValue()];
  await query(`INSERT INTO organizations (id, name) VALUES ($1, 'Cluster')`, [id]);
  await query(
    `INSERT INTO tokens (id, organization_id, name, hash, hint, scopes) VALUES ($1, $2, 'Admin', $3, $4, '{admin}')`,
    [newId('tok'), id, hashOf(token), hintOf(token)],
  );
  await query(
    `INSERT INTO users (organization_id, id, name, name_key, email, email_key, role, metadata)
     VALUES ($1, $2, 'Ada', 'ada', 'ada@example.com', 'ada@example.com', 'member', '{}')`,
    [id, userId],
  );
  await query(
    `INSERT INTO user_search (organization_id, user_id, name_key, name, text) VALUES ($1, $2, 'ada', 'Ada', 'ada')`,
    [id, userId],
  );
  return { id, userId, token, port: await portOf(query, id) };
}

/** The port of the node on which an organization is. */
async function portOf(query, organizationId) {
  const [{ port }] = await query(
    `SELECT nodeport AS port FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
     WHERE shardid = get_shard_id_for_distribution_column('users', $1::text)`,
    [organizationId],
  );
  return port;
}
