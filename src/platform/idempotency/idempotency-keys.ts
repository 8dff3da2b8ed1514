import { ConflictException, HttpException, Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Background } from '../background/background';
import { type Cost } from '../database/connections/connection-shares';
import { Database } from '../database/database';
import { isLocked, isTimedOut } from '../database/errors';
import { Bulkhead } from '../fairness/bulkhead';
import { LIMITS } from '../fairness/limits';
import { execute, query, sql } from '../database/sql';
import type { IdempotentRequest } from '../http/input/idempotency-key';
import { IdempotencyKey } from './idempotency-key.entity';

const KEPT = sql`interval '24 hours'`;
const DELETE_EVERY_MS = 10 * 60_000;

export interface Outcome<Response> {
  response: Response;
  /** The user that the response shows, if it shows one. */
  userId?: string;
  /** Whether to keep the response. Otherwise the key can be used again. Default: true. */
  isKept?: boolean;
}

/** Runs a request once, however often it is repeated with its key, and keeps the response for 24 hours. */
@Injectable()
export class IdempotencyKeys implements OnModuleInit {
  /** One request with a key at a time, so that repetitions do not hold all connections of their organization. */
  private readonly requests = new Bulkhead(LIMITS.oneAtATime);

  constructor(
    private readonly database: Database,
    private readonly background: Background,
  ) {}

  onModuleInit(): void {
    this.background.removeOld({
      name: 'remove old idempotency keys',
      everyMs: DELETE_EVERY_MS,
      organizations: (after, limit) => sql`
        SELECT DISTINCT organization_id AS id FROM ${IdempotencyKey}
        WHERE organization_id > ${after} AND created_at <= now() - ${KEPT} ORDER BY 1 LIMIT ${limit}`,
      statement: (organizationId, limit) => sql`
        DELETE FROM ${IdempotencyKey} WHERE organization_id = ${organizationId} AND (path, key) IN (
          SELECT path, key FROM ${IdempotencyKey} WHERE organization_id = ${organizationId} AND created_at <= now() - ${KEPT}
          LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    });
  }

  /**
   * Runs a write and keeps its response in the same transaction, or returns the stored response of the same request. A
   * second request waits at the key until the first one commits or rolls back. If `work` throws, the key can be used
   * again. Throws a 422 if the key belongs to another request, and a 409 if one with it is in progress for too long.
   */
  runOnce<Response extends object>(
    organizationId: string,
    request: IdempotentRequest,
    work: (manager: EntityManager) => Promise<Outcome<Response>>,
    cost: Cost = 'write',
  ): Promise<{ response: Response; isReplay: boolean }> {
    const { path, key, requestHash } = request;
    const where = { organizationId, path, key };
    return this.requests.run(JSON.stringify(where), () =>
      this.database.write(
        organizationId,
        async (manager) => {
          const earlier = await claimKey(manager, organizationId, request);
          if (earlier) {
            if (!earlier.requestHash.equals(requestHash)) throw mismatch();
            return { response: earlier.response as Response, isReplay: true };
          }
          const { response, userId, isKept = true } = await work(manager);
          if (isKept) await manager.update(IdempotencyKey, where, { response, userId });
          else await manager.delete(IdempotencyKey, where);
          return { response, isReplay: false };
        },
        cost,
      ),
    );
  }
}

/** Claims the key, or returns the earlier request that has it. A request loses its key after 24 hours. */
async function claimKey(
  manager: EntityManager,
  organizationId: string,
  request: IdempotentRequest,
): Promise<IdempotencyKey | null> {
  const { path, key } = request;
  if (await insertKey(manager, organizationId, request)) return null;
  const expired = await execute(
    manager,
    sql`DELETE FROM ${IdempotencyKey}
        WHERE organization_id = ${organizationId} AND path = ${path} AND key = ${key} AND created_at <= now() - ${KEPT}`,
  );
  if (expired > 0 && (await insertKey(manager, organizationId, request))) return null;
  const earlier = await manager.findOneBy(IdempotencyKey, { organizationId, path, key });
  if (!earlier) throw inProgress(); // it was removed just now
  return earlier;
}

/** False if another request has the key. Waits for its end if it is in progress; a 409 if that takes too long. */
async function insertKey(
  manager: EntityManager,
  organizationId: string,
  { path, key, requestHash }: IdempotentRequest,
): Promise<boolean> {
  const inserted = await query(
    manager,
    sql`INSERT INTO ${IdempotencyKey} (organization_id, path, key, request_hash)
        VALUES (${organizationId}, ${path}, ${key}, ${requestHash}) ON CONFLICT DO NOTHING RETURNING key`,
  ).catch((error: unknown) => {
    throw isLocked(error) || isTimedOut(error) ? inProgress() : error;
  });
  return inserted.length > 0;
}

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
