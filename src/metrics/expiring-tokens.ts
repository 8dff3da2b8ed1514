import type { DataSource } from 'typeorm';
import { Token } from '../tokens/token.entity';
import { IN_STATE } from '../tokens/tokens.service';

/** How long before its end a token is worth a warning. */
export const WARNING_DAYS = 14;

/** How many tokens expire within that time. */
export const soonExpiring = (dataSource: DataSource): Promise<number> =>
  dataSource
    .getRepository(Token)
    .createQueryBuilder('token')
    .where(IN_STATE.active)
    .andWhere(`token.expiresAt <= now() + ${WARNING_DAYS} * interval '24 hours'`)
    .getCount();
