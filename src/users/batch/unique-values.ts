import type { Fault } from '../../http/fault';
import type { User } from '../user/user.entity';
import { emailKey } from '../user/user.keys';
import { EMAIL_TAKEN, EXTERNAL_ID_TAKEN, USER_NAME_TAKEN } from '../user/unique-fields';

/** The fields of a user that no two users of an organization share. A new user has no user name. */
type UniqueFields = Pick<User, 'email' | 'externalId'> & Partial<Pick<User, 'userNameKey'>>;

/** A user who has a value that a batch asks for. */
export interface Owner {
  id: string;
  field: 'email' | 'userName' | 'externalId';
  /** Emails and user names in the form in which they are compared. */
  value: string;
}

/** The owner of each unique value, as the elements of a batch take and give them up in their order. */
export class UniqueValues {
  private readonly owners = new Map<string, string>();
  private readonly givenUp = new Set<string>();

  /** Whether an element has taken a value that an earlier one gave up: the database accepts only the same order. */
  isHandedOver = false;

  constructor(owners: readonly Owner[], users: Iterable<UniqueFields & { id: string }>) {
    for (const { id, field, value } of owners) this.owners.set(ownedValue(field, value), id);
    for (const user of users) for (const key of ownedValues(user)) this.owners.set(key, user.id);
  }

  /** The fault of a value that another user has: the first one, as the database finds it for a single request. */
  faultOf(id: string, { email, externalId, userNameKey = null }: UniqueFields): Fault | undefined {
    const isTaken = (field: Owner['field'], value: string) =>
      (this.owners.get(ownedValue(field, value)) ?? id) !== id;
    if (isTaken('email', emailKey(email))) return EMAIL_TAKEN;
    // The email is the user name, too, if there is no other one.
    if (userNameKey === null && isTaken('userName', emailKey(email))) return USER_NAME_TAKEN;
    if (externalId !== null && isTaken('externalId', externalId)) return EXTERNAL_ID_TAKEN;
    return undefined;
  }

  /** Records the change of a user, or a new one. */
  change(id: string, before: UniqueFields | undefined, after: UniqueFields): void {
    const [old, taken] = [before ? ownedValues(before) : [], ownedValues(after)];
    for (const key of old.filter((key) => !taken.includes(key))) {
      this.owners.delete(key);
      this.givenUp.add(key);
    }
    for (const key of taken.filter((key) => !old.includes(key))) {
      this.owners.set(key, id);
      this.isHandedOver ||= this.givenUp.has(key);
    }
  }
}

const ownedValue = (field: Owner['field'], value: string) => `${field} ${value}`;

const ownedValues = ({ email, externalId }: UniqueFields): string[] => [
  ownedValue('email', emailKey(email)),
  ...(externalId === null ? [] : [ownedValue('externalId', externalId)]),
];
