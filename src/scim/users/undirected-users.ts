import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database';
import { query, raw, sql } from '../../database/sql';
import type { Caller } from '../../http/caller';
import { UserSearch } from '../../users/search/user-search.service';
import { fold } from '../../users/user/fold';
import { User } from '../../users/user/user.entity';
import { emailKey } from '../../users/user/user.keys';
import type { Comparison } from '../filter/filter';
import { invalidFilter, tooMany } from '../schema/scim-error';
import { writableAttributes } from './user-resource';
import { matchKey, matchKeys } from './match-keys';
import { findDirectoryUsers } from './scim-user-rows';

type Candidate = Pick<User, 'id' | 'name' | 'email' | 'active'>;

/** The attributes that SCIM derives for users that no directory has written, apart from the user name. */
const DERIVED = ['emails.value', 'name.givenName', 'name.familyName'];

const PAGE = 200;
const MAX_CANDIDATES = 1_000;

/** The limits of the search. */
const MIN_CHARACTERS = 2;
const MAX_CHARACTERS = 200;
const MAX_WORDS = 10;

/**
 * Finds users that no directory has written by their derived attributes: the address by its index, and parts of the
 * name by the search, whose first thousand users are compared.
 */
@Injectable()
export class UndirectedUsers {
  constructor(
    private readonly database: Database,
    private readonly search: UserSearch,
  ) {}

  /** Returns the ids of the users. */
  async find(by: Caller, comparisons: readonly Comparison[]): Promise<string[]> {
    if (comparisons.length === 0 || !comparisons.every(({ path }) => DERIVED.includes(path))) return [];
    const email = comparisons.find(({ path }) => path === 'emails.value');
    const candidates = email
      ? await this.withEmail(by, String(email.value))
      : await this.withNames(by, comparisons);
    const wanted = comparisons.map(matchKey);
    const described = candidates.filter((user) => {
      const keys = matchKeys(writableAttributes(user, null));
      return wanted.every((key) => keys.includes(key));
    });
    if (described.length === 0) return [];
    const ids = described.map(({ id }) => id);
    const directed = await this.database.read(by.organizationId, (manager) =>
      findDirectoryUsers(manager, by.organizationId, ids),
    );
    return ids.filter((id) => !directed.some(({ userId }) => userId === id));
  }

  private withEmail({ organizationId }: Caller, email: string): Promise<Candidate[]> {
    return this.database.read(organizationId, (manager) =>
      query(
        manager,
        sql`SELECT ${raw('id, name, email, active')} FROM ${User}
            WHERE organization_id = ${organizationId} AND email_key = ${emailKey(email.trim())}`,
      ),
    );
  }

  private async withNames(by: Caller, comparisons: readonly Comparison[]): Promise<Candidate[]> {
    const q = comparisons.map(({ value }) => String(value).trim()).join(' ');
    const length = [...q].length;
    if (length > MAX_CHARACTERS) return []; // no name is that long
    if (length < MIN_CHARACTERS || fold(q).split(' ').length > MAX_WORDS)
      throw invalidFilter(
        `A part of a name is found by at least ${MIN_CHARACTERS} characters and at most ${MAX_WORDS} words`,
      );
    const found: Candidate[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.search.search(by, { q, limit: PAGE, cursor });
      found.push(...page.data);
      cursor = page.nextCursor ?? undefined;
      if (cursor !== undefined && found.length >= MAX_CANDIDATES)
        throw tooMany('The filter finds too many users. Add a comparison that finds fewer');
    } while (cursor !== undefined);
    return found;
  }
}
