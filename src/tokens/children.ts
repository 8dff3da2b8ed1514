import type { EntityManager } from 'typeorm';
import { findLocked } from '../platform/database/find-locked';
import { isId } from '../platform/database/id';
import { execute, query, sql } from '../platform/database/sql';
import type { Caller } from '../platform/http/caller';
import { conflict, invalidInput, notFound } from '../platform/http/fault';
import { allows, type Scope, SCOPES } from '../platform/http/scopes';
import { insertToken } from './token/write-token';
import { Token } from './token/token.entity';
import { serializeToken } from './token/token.serializer';

/** The life of a token that an exchange makes, unless what is exchanged for it ends sooner. */
export const EXCHANGED_HOURS = 1;

/** How many children of a token may live at once. */
const MAX_CHILDREN = 1_000;

/** Makes a child of a token, as `TokensService.exchange()` describes it. */
export async function insertChild(
  manager: EntityManager,
  caller: Caller,
  { parentId, scopes }: { parentId: string; scopes?: Scope[] },
  value: string,
): Promise<Token> {
  const { organizationId } = caller;
  if (!isId('tok', parentId)) throw tokenNotFound();
  // Locked, so that it cannot be revoked meanwhile, and its children are counted one after the other.
  const parent = await findLocked(manager, Token, { organizationId, id: parentId });
  if (!parent || serializeToken(parent).state !== 'active') throw tokenNotFound();
  if (parent.windowId) throw conflict('A token of an exchange cannot be exchanged.');
  if (scopes && !allows(parent.scopes, scopes))
    throw invalidInput([{ field: 'scopes', code: 'invalid', message: 'must be among those of the token' }]);
  if ((await countChildren(manager, parentId)) >= MAX_CHILDREN)
    throw conflict(
      `The token has been exchanged for ${MAX_CHILDREN} tokens that still live. Use these, or revoke them.`,
    );
  const { name, rateLimit, allowedNetworks, expiresAt: endsBy } = parent;
  const own = {
    parentId,
    windowId: parentId,
    scopes: scopes ?? parent.scopes,
    hours: EXCHANGED_HOURS,
    endsBy,
  };
  return insertToken(manager, caller, { name, rateLimit, allowedNetworks, ...own }, value);
}

const living = (parentId: string) =>
  sql`parent_id = ${parentId} AND revoked_at IS NULL AND expires_at > now()`;

async function countChildren(manager: EntityManager, parentId: string): Promise<number> {
  const statement = sql`SELECT count(*)::integer AS count FROM ${Token} WHERE ${living(parentId)}`;
  const [{ count }] = await query<{ count: number }>(manager, statement);
  return count;
}

/** Revokes the children of a token that is revoked in the same transaction, which keeps others from being made. */
export const revokeChildren = (manager: EntityManager, parentId: string): Promise<number> =>
  execute(manager, sql`UPDATE ${Token} SET revoked_at = now() WHERE ${living(parentId)}`);

/**
 * Gives the children of a token that has changed what they have of it, in the same transaction. They lose the scopes
 * that it has no longer, so that one may be left without any.
 */
export function updateChildren(manager: EntityManager, parent: Token): Promise<number> {
  const { id, name, rateLimit, allowedNetworks, scopes } = parent;
  const granted = scopes.includes('admin') ? SCOPES : scopes;
  return execute(
    manager,
    sql`UPDATE ${Token} SET name = ${name}, rate_limit = ${rateLimit}, allowed_networks = ${allowedNetworks},
          scopes = ARRAY(
            SELECT scope FROM unnest(scopes) WITH ORDINALITY AS own (scope, place)
            WHERE scope = ANY (${granted}) ORDER BY place
          )
        WHERE ${living(id)}`,
  );
}

/** Throws a 409 unless the token is active and was made neither by an exchange nor by a sign-in. */
export function requireStanding(token: Token, done: 'rotated' | 'changed'): void {
  const { state } = serializeToken(token);
  if (state !== 'active') throw conflict(`Only an active token can be ${done}; this one is ${state}.`);
  if (token.windowId) throw conflict(`A token of an exchange cannot be ${done}. Exchange again instead.`);
  if (token.createdBy) throw conflict(`The token of a sign-in cannot be ${done}. Sign in again instead.`);
}

export const tokenNotFound = () => notFound('There is no such token.');
