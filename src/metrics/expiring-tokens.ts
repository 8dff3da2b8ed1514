import type { DataSource } from 'typeorm';
import { Token } from '../tokens/token.entity';
import { IN_STATE } from '../tokens/tokens.service';

/** A token counts as expiring for this many days before its end. */
export const WARNING_DAYS = 14;

/** The number of active tokens that expire within `WARNING_DAYS`. */
export const countExpiringTokens = (dataSource: DataSource): Promise<number> =>
  dataSource
    .getRepository(Token)
    .createQueryBuilder('token')
    .where(IN_STATE.active)
    .andWhere(`token.expiresAt <= now() + ${WARNING_DAYS} * interval '24 hours'`)
    .getCount();
