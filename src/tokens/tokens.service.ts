import { Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { type Page, paginate, type SortColumn } from '../http/paginate';
import { validInput } from '../http/validation.pipe';
import { isId, newId } from '../id';
import { daysOf } from './expires-in';
import { Token } from './token.entity';
import { hashOf, hintOf, newTokenValue } from './token-value';
import { CreateTokenDto, ListTokensDto, type TokenState } from './tokens.dto';

const NEWEST_FIRST: SortColumn[] = [
  { property: 'createdAt', type: 'time' },
  { property: 'id', type: 'text' },
];

/** The conditions on a `token` for each state. */
export const IN_STATE: Record<TokenState, string> = {
  revoked: 'token.revokedAt IS NOT NULL',
  expired: 'token.revokedAt IS NULL AND token.expiresAt <= now()',
  active: 'token.revokedAt IS NULL AND (token.expiresAt IS NULL OR token.expiresAt > now())',
};

@Injectable()
export class TokensService {
  constructor(@InjectRepository(Token) private readonly tokens: Repository<Token>) {}

  async list(organizationId: string, input: Partial<ListTokensDto> = {}): Promise<Page<Token>> {
    const { state, limit, cursor } = validInput(ListTokensDto, input);
    const query = this.tokens.createQueryBuilder('token').where({ organizationId });
    if (state) query.andWhere(IN_STATE[state]);
    const list = ['tokens', organizationId, state];
    return paginate(query, { columns: NEWEST_FIRST, order: 'desc', limit, cursor, list });
  }

  /** The new token and its value, which nobody can ask for again. */
  async create(
    organizationId: string,
    input: CreateTokenDto,
    value = newTokenValue(),
  ): Promise<{ token: Token; value: string }> {
    const { name, scopes, expiresIn } = validInput(CreateTokenDto, input);
    const days = expiresIn === undefined ? null : daysOf(expiresIn);
    const token = {
      id: newId('tok'),
      organizationId,
      name,
      hint: hintOf(value),
      scopes,
      expiresIn: expiresIn ?? null,
    };
    const { raw } = await this.tokens
      .createQueryBuilder()
      .insert()
      .values({
        ...token,
        hash: hashOf(value),
        // Of the database's clock, and in hours: a day of its time zone may have 23.
        expiresAt: days === null ? null : () => `now() + ${days} * interval '24 hours'`,
      })
      .returning('created_at AS "createdAt", expires_at AS "expiresAt"')
      .execute();
    const times = { ...raw[0], lastUsedAt: null, revokedAt: null, expired: false };
    return { token: this.tokens.create({ ...token, ...times } as Token), value };
  }

  async get(organizationId: string, id: string): Promise<Token> {
    const token = isId('tok', id) ? await this.tokens.findOneBy({ organizationId, id }) : null;
    if (!token) throw noSuchToken();
    return token;
  }

  /** Makes a token invalid from the next request on; that it was revoked before is no failure. */
  async revoke(organizationId: string, id: string): Promise<void> {
    if (!isId('tok', id)) throw noSuchToken();
    const { affected } = await this.tokens
      .createQueryBuilder()
      .update({ revokedAt: () => 'coalesce(revoked_at, now())' })
      .where({ organizationId, id })
      .execute();
    if (!affected) throw noSuchToken();
  }
}

const noSuchToken = () => new NotFoundException('There is no such token.');
