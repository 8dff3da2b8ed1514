import { Column, type EntityManager, Entity, PrimaryColumn } from 'typeorm';
import { execute, rowsOf, sql } from '../../database/sql';
import type { User, UserFields } from '../user/user.entity';
import { withKeys } from '../user/user.keys';
import { ReplacedText } from './vocabulary/replaced-text.entity';
import { EMAIL_MARK, METADATA_MARK, stringsIn, toSearchText } from './search-text';

/** The text that the search compares. It has its own table, so a change of other fields writes to no index of the search. */
@Entity('user_search')
export class UserSearchText {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  @PrimaryColumn({ name: 'user_id', type: 'text' })
  userId: string;

  @Column({ name: 'name_key', type: 'text' })
  nameKey: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text' })
  text: string;
}

/** The search text of a user: its name, its email and the strings of its metadata, in the form that the search compares. */
export function searchTextOf({ name, email, metadata }: Omit<UserFields, 'role' | 'active'>): string {
  const strings = [...stringsIn(metadata)].map(toSearchText).filter(Boolean).join('\n');
  return `${toSearchText(name)}${EMAIL_MARK}${toSearchText(email)}${METADATA_MARK}${strings}`;
}

/** A user's search text, whose words are added to the vocabulary. */
export interface NewText {
  userId: string;
  text: string;
}

export const newTextOf = (user: { id: string } & UserFields): NewText => ({
  userId: user.id,
  text: searchTextOf(user),
});

/** A user before a write, unless it is new, and after it. */
export interface WrittenUser {
  before?: User;
  after: User;
}

/**
 * Updates the search texts of users in the transaction that writes the users, and leaves former texts to the sweep.
 * Returns the texts that are new.
 */
export async function putSearchTexts(
  manager: EntityManager,
  users: readonly WrittenUser[],
): Promise<NewText[]> {
  const written = users.map(({ before, after }) => ({
    before,
    after,
    formerText: before && searchTextOf(before),
    text: searchTextOf(after),
  }));
  const changed = written.filter(
    ({ before, after, formerText, text }) => text !== formerText || after.name !== before?.name,
  );
  if (changed.length === 0) return [];
  const rows = changed.map(({ after: { organizationId, id, name }, text }) => {
    return [organizationId, id, withKeys({ name }).nameKey, name, text];
  });
  await execute(
    manager,
    sql`INSERT INTO ${UserSearchText} (organization_id, user_id, name_key, name, text) VALUES ${rowsOf(rows)}
        ON CONFLICT (organization_id, user_id)
        DO UPDATE SET name_key = excluded.name_key, name = excluded.name, text = excluded.text`,
  );
  const former = changed.filter(({ formerText, text }) => formerText !== undefined && formerText !== text);
  await keepForSweep(
    manager,
    former.map(({ after: { organizationId, id }, formerText }) => ({
      organizationId,
      userId: id,
      text: formerText!,
    })),
  );
  return changed
    .filter(({ formerText, text }) => text !== formerText)
    .map(({ after, text }) => ({ userId: after.id, text }));
}

/** Leaves the search text of a deleted user to the sweep; its row is deleted with the user. */
export const removeSearchText = (manager: EntityManager, user: User): Promise<void> =>
  keepForSweep(manager, [{ organizationId: user.organizationId, userId: user.id, text: searchTextOf(user) }]);

/** The sweep of the vocabulary later stores the words of the texts, or removes unused ones. */
export async function keepForSweep(
  manager: EntityManager,
  texts: readonly Pick<ReplacedText, 'organizationId' | 'userId' | 'text'>[],
): Promise<void> {
  if (texts.length === 0) return;
  const rows = texts.map(({ organizationId, userId, text }) => [organizationId, userId, text]);
  await execute(
    manager,
    sql`INSERT INTO ${ReplacedText} (organization_id, user_id, text) VALUES ${rowsOf(rows)}`,
  );
}
