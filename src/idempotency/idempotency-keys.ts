import { setTimeout as sleep } from 'node:timers/promises';
import { ConflictException, HttpException, Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { Background } from '../background/background';
import { DATABASE } from '../database/data-source';
import { isKeyLocked, isTimedOut, violates } from '../database/errors';
import { InTurn } from '../database/in-turn';
import { Lanes } from '../database/lanes';
import { Parameters } from '../database/parameters';
import type { Query } from '../database/query';
import { retryBroken } from '../database/retry';
import { tableName } from '../database/tables';
import type { Claim } from '../http/input/idempotency-key';

const KEPT = `interval '24 hours'`;

/** No attempt begins later than this; one may wait for another two times two seconds for a lock. */
const MAX_WAIT_MS = 1_000;

/** The pause before another look at a key that another request holds. */
const POLL_MS = 50;

const SWEEP_EVERY_MS = 10 * 60_000;
const KEYS_PER_BITE = 1_000;
const ORGANIZATIONS_PER_ROUND = 1_000;

/** What the first request with a key has done. */
export interface Answer {
  /** The user that it created; null if the answer shows no user. */
  userId: string | null;
  /** The fields that the request set, with the defaults of the others; the whole answer if it shows no user. */
  fields: object;
  at: Date;
}

/** A claim, with the answer that the write will give. */
export interface ClaimRow extends Pick<Answer, 'userId' | 'fields'> {
  claim: Claim;
}

interface StoredAnswer extends Answer {
  requestHash: Buffer;
}

/** Lets a request that is repeated with the same key be done once, and keeps its answer for 24 hours. */
@Injectable()
export class IdempotencyKeys implements OnModuleInit {
  private readonly requests = new InTurn();

  constructor(
    @InjectDataSource(DATABASE) private readonly dataSource: DataSource,
    private readonly background: Background,
    private readonly lanes: Lanes,
  ) {}

  onModuleInit(): void {
    const run = (signal: AbortSignal) => this.sweep(signal);
    this.background.add({ name: 'remove old idempotency keys', everyMs: SWEEP_EVERY_MS, run });
  }

  /** A step of the write's statement, which fails as a whole if a key is claimed already. */
  step(parameters: Parameters, organization: string, rows: readonly ClaimRow[]): string[] {
    if (rows.length === 0) return [];
    // The order prevents a deadlock between two statements that claim the same keys.
    const sorted = [...rows].sort((a, b) => (a.claim.key < b.claim.key ? -1 : 1));
    const values = sorted.map(({ claim, userId, fields }) => {
      const cells = [claim.path, claim.key, claim.requestHash, userId, JSON.stringify(fields)];
      return `(${[organization, ...cells.map((cell) => parameters.bind(cell))].join(', ')})`;
    });
    return [
      `claimed AS (
         INSERT INTO ${this.table()} (organization_id, path, key, request_hash, user_id, fields) VALUES ${values.join(', ')}
       )`,
    ];
  }

  /** The same as a statement of its own, for an answer that shows no user. Throws a 409 if it takes too long. */
  async claim(query: Query, organizationId: string, claim: Claim, answer: object): Promise<void> {
    const parameters = new Parameters();
    const organization = parameters.bind(organizationId);
    const [step] = this.step(parameters, organization, [{ claim, userId: null, fields: answer }]);
    await query(`WITH ${step} SELECT 1`, parameters.values).catch((error: unknown) => {
      throw isTimedOut(error) ? inProgress() : error;
    });
  }

  /**
   * Writes, or returns the answer to the same request before. A refusal keeps nothing. Throws a 422 if the key belongs to
   * another request, and a 409 if the same one is in progress for too long.
   */
  once<Result>(
    organizationId: string,
    claim: Claim,
    write: () => Promise<Result>,
    isRefused: (result: Result) => boolean,
  ): Promise<{ result: Result; answer?: undefined } | { result?: undefined; answer: Answer }> {
    const deadline = performance.now() + MAX_WAIT_MS;
    const name = JSON.stringify([organizationId, claim.path, claim.key]);
    // Whoever has to wait for the same request in this process finds its answer.
    let mayBeAnswered = this.requests.has(name);
    return this.requests.run(name, async () => {
      let isRepeated = false;
      for (;;) {
        const answer = mayBeAnswered ? await this.find(organizationId, claim) : undefined;
        if (answer) return { answer };
        if (performance.now() > deadline) throw inProgress();
        if (isRepeated) await sleep(POLL_MS * Math.random());
        isRepeated = true;
        const result = await write().catch((error: unknown) => {
          if (isClaimed(error)) return undefined;
          throw error;
        });
        if (result !== undefined) {
          // A write that was committed before finds its own user.
          const earlier = isRefused(result) ? await this.find(organizationId, claim) : undefined;
          return earlier ? { answer: earlier } : { result };
        }
        mayBeAnswered = true;
        await this.forgetOld(organizationId, claim);
      }
    });
  }

  /** The answer to this request, once it is there. Throws a 422 if the key belongs to another request. */
  private async find(organizationId: string, { path, key, requestHash }: Claim): Promise<Answer | undefined> {
    const sql = `SELECT request_hash AS "requestHash", user_id AS "userId", fields, created_at AS at FROM ${this.table()}
      WHERE organization_id = $1 AND path = $2 AND key = $3 AND created_at > now() - ${KEPT}`;
    const read = () => retryBroken(() => this.dataSource.query(sql, [organizationId, path, key]));
    const rows: StoredAnswer[] = await this.lanes.run('quick', organizationId, read);
    if (rows.length > 0 && !rows[0].requestHash.equals(requestHash)) throw mismatch();
    return rows[0];
  }

  /** Frees a key whose answer is too old. */
  private async forgetOld(organizationId: string, { path, key }: Claim): Promise<void> {
    const sql = `DELETE FROM ${this.table()} WHERE organization_id = $1 AND path = $2 AND key = $3
      AND created_at <= now() - ${KEPT}`;
    await this.lanes.run('write', organizationId, () =>
      this.dataSource.query(sql, [organizationId, path, key]),
    );
  }

  /** Forgets what requests have created a user, in the transaction that purges it. */
  async forgetUser(manager: EntityManager, organizationId: string, userId: string): Promise<void> {
    const sql = `DELETE FROM ${this.table()} WHERE organization_id = $1 AND user_id = $2`;
    await manager.query(sql, [organizationId, userId]);
  }

  /** Removes the keys that are older than 24 hours. Only the first statement of a round asks every node of a cluster. */
  async sweep(signal?: AbortSignal): Promise<void> {
    let isDone = false;
    while (!isDone) {
      const organizations: { id: string }[] = await this.dataSource.query(
        `SELECT DISTINCT organization_id AS id FROM ${this.table()} WHERE created_at <= now() - ${KEPT} LIMIT ${ORGANIZATIONS_PER_ROUND}`,
      );
      let removed = 0;
      for (const { id } of organizations) {
        if (signal?.aborted) return;
        removed += await this.sweepOrganization(id);
      }
      isDone = removed === 0; // what another process has locked, it removes
    }
  }

  private async sweepOrganization(organizationId: string): Promise<number> {
    const [, count]: [unknown, number] = await this.dataSource.query(
      `DELETE FROM ${this.table()} WHERE organization_id = $1 AND (path, key) IN (
         SELECT path, key FROM ${this.table()} WHERE organization_id = $1 AND created_at <= now() - ${KEPT}
         LIMIT ${KEYS_PER_BITE} FOR UPDATE SKIP LOCKED)`,
      [organizationId],
    );
    return count;
  }

  private table(): string {
    return tableName(this.dataSource, 'idempotency_keys');
  }
}

/** Whether another request has the key. A write can also wait for a lock on a user, which says nothing about the key. */
const isClaimed = (error: unknown): boolean =>
  violates(error, PRIMARY_KEY) || isKeyLocked(error, PRIMARY_KEY);

const PRIMARY_KEY = 'idempotency_keys_pkey';

const mismatch = () =>
  new HttpException(
    {
      statusCode: 422,
      code: 'idempotency_mismatch',
      message: 'The Idempotency-Key has been used for another request. Use a new one.',
    },
    422,
  );

const inProgress = () =>
  new ConflictException({
    statusCode: 409,
    code: 'idempotency_in_progress',
    message: 'A request with this Idempotency-Key is still in progress. Try again.',
    retryAfter: 1,
  });
