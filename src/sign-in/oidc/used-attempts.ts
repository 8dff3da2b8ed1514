import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Background } from '../../background/background';
import { Database } from '../../database/database';
import { query, sql } from '../../database/sql';
import { UsedAttempt } from './used-attempt.entity';

const DELETE_EVERY_MS = 10 * 60_000;
const ATTEMPTS_PER_STATEMENT = 1_000;

/** Attempts belong to no organization, and share the connections of one, because anybody may begin one. */
const NO_ORGANIZATION = '';

/** Lets each sign-in attempt be used once, whichever replica it comes to. */
@Injectable()
export class UsedAttempts implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly background: Background,
  ) {}

  onModuleInit(): void {
    const run = (signal: AbortSignal) => this.deleteExpired(signal);
    this.background.add({ name: 'delete expired rounds of sign-in', everyMs: DELETE_EVERY_MS, run });
  }

  /** Returns whether the attempt was unused and has not expired, by the database's clock. */
  async consume(id: string, expiresAt: Date): Promise<boolean> {
    const insertion = sql`
      INSERT INTO ${UsedAttempt} (id, expires_at)
      SELECT ${id}, ${expiresAt}::timestamptz WHERE ${expiresAt}::timestamptz > now()
      ON CONFLICT DO NOTHING RETURNING id`;
    const inserted = await this.database.write(
      NO_ORGANIZATION,
      (manager) => query(manager, insertion),
      'quick',
    );
    return inserted.length === 1;
  }

  /** Deletes the attempts that have expired, so that nobody could use them again. */
  async deleteExpired(signal?: AbortSignal): Promise<void> {
    const expired = sql`
      DELETE FROM ${UsedAttempt} WHERE id = ANY (ARRAY(
        SELECT id FROM ${UsedAttempt} WHERE expires_at <= now() LIMIT ${ATTEMPTS_PER_STATEMENT} FOR UPDATE SKIP LOCKED))`;
    while ((await this.database.execute(NO_ORGANIZATION, expired)) === ATTEMPTS_PER_STATEMENT)
      if (signal?.aborted) return;
  }
}
