// A cluster whose nodes can be broken, with a distributed database of many organizations and a replica.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { databaseUrl, startCitus } from '../../scripts/citus.mjs';
import { startReplica, stop, ums } from '../faults/replicas.mjs';
import { insertUsers, newOrganization } from '../faults/rows.mjs';
import { newDirectory } from '../faults/run.mjs';
import { breakable } from '../faults/servers.mjs';

const DATABASE = 'ums';

/**
 * Opens it for the file, with so many organizations on each worker; `settings` are for every node, and a `spare` one
 * has none until addWorker(). An organization has a token, a user, and a `port`, that of its node. The replica runs in
 * this environment, and survives the tests.
 */
export async function openPlace({ organizations: count = 1, spare = false, settings = {}, environment }) {
  const cluster = await startCitus(newDirectory(), { workers: spare ? 3 : 2, ...settings });
  const nodes = cluster.nodes.map(breakable);
  const [coordinator, ...workers] = nodes;
  const url = await cluster.createDatabase(DATABASE);
  const spareNode = spare && workers.pop();
  if (spare) await coordinator.query('SELECT citus_remove_node($1, $2)', ['127.0.0.1', spareNode.port], url);
  const query = (sql, values) => coordinator.query(sql, values, url);
  await ums({ DATABASE_URL: url }, 'migrate');
  await ums({ DATABASE_URL: url }, 'distribute');
  const organizations = [];
  const isMissing = ({ port }) => organizations.filter((other) => other.port === port).length < count;
  while (organizations.length < count * workers.length) {
    const organization = await withUser(query);
    if (isMissing(organization)) organizations.push(organization);
  }
  const replica = await startReplica({ DATABASE_URL: url, ...environment });
  after(async () => {
    const codes = await stop([replica]);
    await Promise.all(nodes.map((node) => node.stop('SIGQUIT')));
    assert.deepEqual(codes, [0], 'the replica has survived');
  });
  return {
    url,
    replica,
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
  };
}

async function withUser(query) {
  const { id, admin: token } = await newOrganization(query, 'Cluster');
  const [userId] = await insertUsers(query, id, 1, { name: 'Ada', prefix: 'ada-' });
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
