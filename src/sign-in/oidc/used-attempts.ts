import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Background } from '../../background/background';
import { Database } from '../../database/database';
import { query, sql } from '../../database/sql';
import { SignInRound } from './used-attempt.entity';

const DELETE_EVERY_MS = 10 * 60_000;
const ROUNDS_PER_STATEMENT = 1_000;

/** Rounds belong to no organization, and have the connections of one: anybody may begin one. */
const NO_ORGANIZATION = '';

/** Lets each round be used once, whichever replica it comes to. */
@Injectable()
export class SpentRounds implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly background: Background,
  ) {}

  onModuleInit(): void {
    const run = (signal: AbortSignal) => this.deleteExpired(signal);
    this.background.add({ name: 'delete expired rounds of sign-in', everyMs: DELETE_EVERY_MS, run });
  }

  /** Returns whether the round was unused and has not expired, by the database's clock. */
  async spend(id: string, expiresAt: Date): Promise<boolean> {
    const insertion = sql`
      INSERT INTO ${SignInRound} (id, expires_at)
      SELECT ${id}, ${expiresAt}::timestamptz WHERE ${expiresAt}::timestamptz > now()
      ON CONFLICT DO NOTHING RETURNING id`;
    const inserted = await this.database.write(
      NO_ORGANIZATION,
      (manager) => query(manager, insertion),
      'quick',
    );
    return inserted.length === 1;
  }

  /** Deletes the rounds that nobody could use any more. */
  async deleteExpired(signal?: AbortSignal): Promise<void> {
    const expired = sql`
      DELETE FROM ${SignInRound} WHERE id = ANY (ARRAY(
        SELECT id FROM ${SignInRound} WHERE expires_at <= now() LIMIT ${ROUNDS_PER_STATEMENT} FOR UPDATE SKIP LOCKED))`;
    let deleted = ROUNDS_PER_STATEMENT;
    while (deleted === ROUNDS_PER_STATEMENT && !signal?.aborted)
      deleted = await this.database.execute(NO_ORGANIZATION, expired);
  }
}
