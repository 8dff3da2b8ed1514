import type { EntityManager } from 'typeorm';
import { mapGivingWay } from '../../platform/fairness/give-way';
import type { UserView } from '../user/user.view';

/** Up to this many bytes, the attributes of the users of a page are read together. */
export const SHORT_DIRECTORY_BYTES = 3 * 1024;

/** The attributes that a directory has set for users, for responses that include them. SCIM provides it. */
export abstract class DirectoryAttributes {
  /**
   * The attributes of each user as JSON, which is `null` if no directory has set any. With `maxBytes`, null stands for
   * longer attributes.
   */
  abstract textsOf(
    manager: EntityManager,
    organizationId: string,
    ids: readonly string[],
    maxBytes?: number,
  ): Promise<Map<string, string | null>>;

  /** The users with the attributes as `directory`. */
  async parsedOf<User extends { id: string }>(
    manager: EntityManager,
    organizationId: string,
    users: readonly User[],
  ): Promise<(User & Pick<UserView, 'directory'>)[]> {
    const rows = await this.addTo(manager, organizationId, users);
    return mapGivingWay(rows, ({ directory, ...user }) => ({
      ...user,
      directory: JSON.parse(directory!) as UserView['directory'],
    })) as Promise<(User & Pick<UserView, 'directory'>)[]>;
  }

  /** The rows with the attributes of their users as `directory`. */
  async addTo<Row extends { id: string }>(
    manager: EntityManager,
    organizationId: string,
    rows: readonly Row[],
    maxBytes?: number,
  ): Promise<(Row & { directory: string | null })[]> {
    const ids = rows.map(({ id }) => id);
    const texts = await this.textsOf(manager, organizationId, ids, maxBytes);
    return rows.map((row) => ({ ...row, directory: texts.get(row.id)! }));
  }
}
