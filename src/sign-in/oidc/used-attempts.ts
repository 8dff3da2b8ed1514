import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Background } from '../../platform/background/background';
import { Database } from '../../platform/database/database';
import { query, sql } from '../../platform/database/sql';
import { COMMON_SHARE } from '../../platform/fairness/owners';
import { UsedAttempt } from './used-attempt.entity';

const DELETE_EVERY_MS = 10 * 60_000;

/** Lets each sign-in attempt be used once, whichever replica it comes to. */
@Injectable()
export class UsedAttempts implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly background: Background,
  ) {}

  onModuleInit(): void {
    this.background.removeOld({
      name: 'delete expired attempts to sign in',
      everyMs: DELETE_EVERY_MS,
      statement: (_organizationId, limit) => sql`
        DELETE FROM ${UsedAttempt} WHERE id = ANY (ARRAY(
          SELECT id FROM ${UsedAttempt} WHERE expires_at <= now() LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
    });
  }

  /** Returns whether the attempt was unused and has not expired, by the database's clock. */
  async consume(id: string, expiresAt: Date): Promise<boolean> {
    const insertion = sql`
      INSERT INTO ${UsedAttempt} (id, expires_at)
      SELECT ${id}, ${expiresAt}::timestamptz WHERE ${expiresAt}::timestamptz > now()
      ON CONFLICT DO NOTHING RETURNING id`;
    const inserted = await this.database.write(
      COMMON_SHARE, // anybody may begin an attempt
      (manager) => query(manager, insertion),
      'quick',
    );
    return inserted.length === 1;
  }
}
