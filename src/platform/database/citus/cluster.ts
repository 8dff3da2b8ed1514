/** Runs statements in the schema of the service. */
export interface Queryable {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as that of TypeORM
  query(sql: string, parameters?: unknown[]): Promise<any>;
}

export interface Node {
  group: number;
  host: string;
  port: number;
  /** Whether shards of distributed tables are put there. */
  hasShards: boolean;
}

const COORDINATOR = 0;

export async function hasCitus(database: Queryable): Promise<boolean> {
  const [{ has }] = await database.query(
    `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS has`,
  );
  return has;
}

/** The nodes of the cluster, the coordinator first. Elsewhere than on the coordinator, the error says what to do. */
export async function nodesOf(database: Queryable): Promise<Node[]> {
  if (!(await hasCitus(database)))
    throw new Error(
      'The database has no Citus. Start every node with shared_preload_libraries=citus, and run in the database of each: CREATE EXTENSION citus;',
    );
  const nodes: Node[] = await database.query(
    `SELECT groupid AS group, nodename AS host, nodeport AS port, shouldhaveshards AS "hasShards"
     FROM pg_dist_node WHERE noderole = 'primary' AND isactive ORDER BY groupid`,
  );
  const coordinator = nodes.find(({ group }) => group === COORDINATOR);
  const [{ group }] = await database.query(`SELECT groupid AS group FROM pg_dist_local_group`);
  if (group !== COORDINATOR)
    throw new Error(
      `This is a worker of the cluster. Set DATABASE_URL to the coordinator${coordinator ? `, ${addressOf(coordinator)}` : ''}.`,
    );
  if (!nodes.some(({ hasShards }) => hasShards))
    throw new Error(
      "The cluster has no worker. Run for each: SELECT citus_add_node('<its host>', <its port>);",
    );
  if (!coordinator)
    throw new Error(
      "The workers cannot reach the coordinator. Run: SELECT citus_set_coordinator_host('<its host>', <its port>);",
    );
  return nodes;
}

export const addressOf = ({ host, port }: Node) => `${host}:${port}`;
