import DataLoader from 'dataloader';
import type { DataSource } from 'typeorm';
import { PER_TURN } from '../per-turn';
import { retryBroken } from '../retry';
import { tableName } from '../tables';

/** Organizations move to other nodes; for this long, some may be counted to the former one. */
const KNOWN_MS = 60_000;

/** Tells on which node of a Citus cluster an organization is. The coordinator alone knows, whatever the nodes do. */
export class Nodes {
  private known = new Map<string, string>();
  private since = 0;
  private readonly loader = new DataLoader<string, string, string>((ids) => this.find(ids), PER_TURN);

  private constructor(private readonly dataSource: DataSource) {}

  /** The nodes of a distributed database; undefined for any other. */
  static async of(dataSource: DataSource): Promise<Nodes | undefined> {
    const [{ hasCitus }] = await dataSource.query(
      `SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS "hasCitus"`,
    );
    if (!hasCitus) return undefined;
    const [{ isDistributed }] = await dataSource.query(
      `SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass($1)) AS "isDistributed"`,
      [tableName(dataSource, 'users')],
    );
    return isDistributed ? new Nodes(dataSource) : undefined;
  }

  nodeOf(organizationId: string): string | Promise<string> {
    if (performance.now() - this.since > KNOWN_MS) {
      this.known = new Map();
      this.since = performance.now();
    }
    return this.known.get(organizationId) ?? this.loader.load(organizationId);
  }

  private async find(organizationIds: readonly string[]): Promise<string[]> {
    const rows: { id: string; node: string }[] = await retryBroken(() =>
      this.dataSource.query(
        `SELECT organization.id, 'node ' || groupid AS node
         FROM unnest($1::text[]) AS organization (id)
         JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column($2::regclass, organization.id)`,
        [organizationIds, tableName(this.dataSource, 'users')],
      ),
    );
    for (const { id, node } of rows) this.known.set(id, node);
    return organizationIds.map((id) => this.known.get(id)!);
  }
}
