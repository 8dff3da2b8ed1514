import type { Database } from '../../platform/database/database';
import { raw, sql } from '../../platform/database/sql';
import { EventHead } from './event-head.entity';

/** The last letters of the ids are random, so they divide the organizations into up to 1,024 groups of one size. */
const GROUP_LETTERS = 2;
const GROUP = raw(`right(organization_id, ${GROUP_LETTERS})`);

/** The number of an organization's last event, and of the last one that has been removed. */
export interface Head {
  organizationId: string;
  sequence: number;
  removed: number;
}

/** The heads of all organizations, as they change. A look takes two statements, however many there are. */
export class EventHeads {
  /** A digest of each group, of the last look. */
  private digests = new Map<string, string>();

  constructor(private readonly database: Database) {}

  /**
   * The heads in the groups in which one has changed since the last look, at first in all of them, and which of the
   * known organizations have been deleted. Nothing but digests is transferred while nothing changes.
   */
  async changed(known: readonly string[]): Promise<{ heads: Head[]; deleted: string[] }> {
    const rows = await this.database.readAll<{ group: string; digest: string }>(sql`
      SELECT ${GROUP} AS "group", sum(hashtextextended(organization_id || ' ' || sequence, 0))::text AS digest
      FROM ${EventHead} GROUP BY ${GROUP}`);
    const digests = new Map(rows.map(({ group, digest }) => [group, digest]));
    const before = this.digests;
    const isUnchanged = (group: string) => digests.has(group) && digests.get(group) === before.get(group);
    const groups = [...digests.keys()].filter((group) => !isUnchanged(group));
    const heads = groups.length === 0 ? [] : await this.headsIn(groups);
    // Older than the heads, so the next look finds what has changed in between.
    this.digests = digests;
    const present = new Set(heads.map(({ organizationId }) => organizationId));
    const deleted = known.filter((id) => !isUnchanged(id.slice(-GROUP_LETTERS)) && !present.has(id));
    return { heads, deleted };
  }

  private async headsIn(groups: readonly string[]): Promise<Head[]> {
    const rows = await this.database.readAll<Record<keyof Head, string>>(sql`
      SELECT organization_id AS "organizationId", sequence, removed FROM ${EventHead}
      WHERE ${GROUP} = ANY (${groups})`);
    return rows.map(({ organizationId, sequence, removed }) => ({
      organizationId,
      sequence: Number(sequence),
      removed: Number(removed),
    }));
  }
}
