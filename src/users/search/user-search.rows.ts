import type { EntityManager } from 'typeorm';
import { executeWithNext, rowsOf, sql } from '../../platform/database/sql';
import { givingWay } from '../../platform/fairness/give-way';
import type { UserFields } from '../user/user.entity';
import type { UserChange } from '../user/user-lifecycle';
import { withKeys } from '../user/user.keys';
import { EMAIL_MARK, METADATA_MARK, stringsIn, toSearchText } from './text';
import { UserSearchText } from './user-search.entity';

/** The search text of a user: its name, its email and the strings of its metadata, as the search compares them. */
export function searchTextOf({
  name,
  email,
  metadata,
}: Pick<UserFields, 'name' | 'email' | 'metadata'>): string {
  const strings = [...stringsIn(metadata)].map(toSearchText).filter(Boolean).join('\n');
  return `${toSearchText(name)}${EMAIL_MARK}${toSearchText(email)}${METADATA_MARK}${strings}`;
}

/** A statement stores about so many characters. A search text can have thirty times the bytes of what it is made of. */
const MAX_LENGTH = 1024 * 1024;

/** Stores the search texts of users in the transaction that writes the users. A deleted row takes its text along. */
export async function putSearchTexts(manager: EntityManager, users: readonly UserChange[]): Promise<void> {
  const giveWay = givingWay();
  let rows: unknown[][] = [];
  let length = 0;
  for (const change of users) {
    const text = await giveWay(() => changedText(change));
    if (text === undefined) continue;
    const { organizationId, id, name } = change.after;
    rows.push([organizationId, id, withKeys({ name }).nameKey, name, text]);
    length += text.length;
    if (length < MAX_LENGTH) continue;
    await put(manager, rows);
    [rows, length] = [[], 0];
  }
  if (rows.length > 0) await put(manager, rows);
}

/** Undefined if what is stored stays as it is. */
function changedText({ before, after }: UserChange): string | undefined {
  const text = searchTextOf(after);
  return before && before.name === after.name && searchTextOf(before) === text ? undefined : text;
}

const put = (manager: EntityManager, rows: unknown[][]) =>
  executeWithNext(
    manager,
    sql`INSERT INTO ${UserSearchText} (organization_id, user_id, name_key, name, text) VALUES ${rowsOf(rows)}
        ON CONFLICT (organization_id, user_id)
        DO UPDATE SET name_key = excluded.name_key, name = excluded.name, text = excluded.text`,
  );
