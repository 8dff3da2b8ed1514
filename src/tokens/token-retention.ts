import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Background } from '../platform/background/background';
import { sql } from '../platform/database/sql';
import { Token } from './token/token.entity';

const DELETE_EVERY_MS = 60 * 60_000;
const KEEP_HOURS = 24;

/** Deletes tokens that were made by an exchange a day after they would have ended, whoever revoked them before. */
@Injectable()
export class TokenRetention implements OnModuleInit {
  constructor(private readonly background: Background) {}

  onModuleInit(): void {
    this.background.removeOld({
      name: 'delete ended tokens of exchanges',
      everyMs: DELETE_EVERY_MS,
      statement: (_organizationId, limit) => sql`
        DELETE FROM ${Token} WHERE id = ANY (ARRAY(
          SELECT id FROM ${Token} WHERE window_id IS NOT NULL AND expires_at <= now() - ${KEEP_HOURS} * interval '1 hour'
          ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
    });
  }
}
