/** Runs a statement: of a data source, or of a transaction. */
export interface Queryable {
  query(sql: string, parameters?: unknown[]): Promise<any>;
}

export interface Node {
  address: string;
  role: 'coordinator' | 'worker';
  /** Whether it gets shards of distributed tables. */
  hasShards: boolean;
}

export async function hasCitus(database: Queryable): Promise<boolean> {
  const [{ has }] = await database.query(`SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS has`);
  return has;
}

/** The nodes of the cluster, the coordinator first. Throws what to do next if the database is not a coordinator with workers. */
export async function nodesOf(database: Queryable): Promise<Node[]> {
  if (!(await hasCitus(database)))
    throw new Error(
      'The database has no Citus. Install it on every node with shared_preload_libraries=citus, and run in the database of each: CREATE EXTENSION citus;',
    );
  const nodes: Node[] = await database.query(
    `SELECT nodename || ':' || nodeport AS address, CASE groupid WHEN 0 THEN 'coordinator' ELSE 'worker' END AS role, shouldhaveshards AS "hasShards"
     FROM pg_dist_node WHERE noderole = 'primary' AND isactive ORDER BY groupid`,
  );
  const [{ isWorker }] = await database.query(`SELECT groupid <> 0 AS "isWorker" FROM pg_dist_local_group`);
  const coordinator = nodes.find(({ role }) => role === 'coordinator')?.address;
  if (isWorker)
    throw new Error(
      `DATABASE_URL leads to a worker of the cluster. Set it to the coordinator, which the workers know as ${coordinator}.`,
    );
  if (!coordinator)
    throw new Error(
      "The coordinator has no address that workers can reach. Run: SELECT citus_set_coordinator_host('<its host>', <its port>);",
    );
  if (!nodes.some(({ hasShards }) => hasShards))
    throw new Error("The cluster has no worker. Run for each: SELECT citus_add_node('<its host>', <its port>);");
  return nodes;
}
