import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../database/data-source';
import { isTimedOut } from '../database/errors';
import { Lanes } from '../database/lanes';
import type { Query } from '../database/query';
import { tableName } from '../database/tables';
import type { Claim } from '../http/input/idempotency-key';
import { type Answer, IdempotencyKeys, inProgress, isClaimed } from './idempotency-keys';

const MAX_WAIT_MS = 5_000;
const POLL_MS = 100;

/** Renews the lease in a transaction of the request, which fails if another request has taken over. */
type Hold = (query: Query) => Promise<void>;

/**
 * Lets a request that writes in several transactions be done once. Its key is leased until it ends; the answer is stored then. If
 * its process dies, the key is free again after ten seconds.
 */
@Injectable()
export class IdempotencyLeases {
  constructor(
    @InjectDataSource(DATABASE) private readonly dataSource: DataSource,
    private readonly keys: IdempotencyKeys,
    private readonly lanes: Lanes,
  ) {}

  /**
   * Writes, or returns the answer to the same request before. Throws a 422 if the key belongs to another request, and a 409 if
   * one with the key is in progress for too long. `write` must call `hold` in each of its transactions. Without an answer the key
   * is free again.
   */
  async once<Result>(
    organizationId: string,
    claim: Claim,
    write: (hold: Hold) => Promise<Result>,
    answerOf: (result: Result) => object | undefined,
  ): Promise<{ result: Result; answer?: undefined } | { result?: undefined; answer: Answer }> {
    const lease = randomUUID();
    const deadline = performance.now() + MAX_WAIT_MS;
    while (!(await this.take(organizationId, claim, lease))) {
      const answer = await this.keys.find(organizationId, claim);
      if (answer) return { answer };
      if (performance.now() > deadline) throw inProgress();
      await sleep(POLL_MS);
      await this.keys.forgetOld(organizationId, claim);
    }
    const key = [organizationId, claim.path, claim.key, lease];
    const hold: Hold = (query) => this.update(query, 'created_at = now()', key);
    const query: Query = (sql, values) =>
      this.lanes.run('write', organizationId, () => this.dataSource.query(sql, values));
    // If that fails, the lease ends by itself.
    const free = () => query(`DELETE FROM ${this.table()} WHERE ${MINE}`, key).catch(() => {});
    try {
      const result = await write(hold);
      const answer = answerOf(result);
      if (answer) {
        const fields = JSON.stringify(answer);
        await this.update(query, 'created_at = now(), lease = NULL, fields = $5', [...key, fields]);
      } else await free();
      return { result };
    } catch (error) {
      await free();
      throw error;
    }
  }

  /** False if another request has the key. */
  private async take(
    organizationId: string,
    { path, key, requestHash }: Claim,
    lease: string,
  ): Promise<boolean> {
    const sql = `INSERT INTO ${this.table()} (organization_id, path, key, request_hash, fields, lease) VALUES ($1, $2, $3, $4, 'null', $5)`;
    const values = [organizationId, path, key, requestHash, lease];
    try {
      await this.lanes.run('write', organizationId, () => this.dataSource.query(sql, values));
      return true;
    } catch (error) {
      if (isClaimed(error) || isTimedOut(error)) return false;
      throw error;
    }
  }

  private async update(query: Query, assignments: string, values: unknown[]): Promise<void> {
    const [, count] = (await query(`UPDATE ${this.table()} SET ${assignments} WHERE ${MINE}`, values)) as [
      unknown,
      number,
    ];
    if (count === 0) throw inProgress();
  }

  private table(): string {
    return tableName(this.dataSource, 'idempotency_keys');
  }
}

const MINE = 'organization_id = $1 AND path = $2 AND key = $3 AND lease = $4';
