import type { EntityManager } from 'typeorm';
import type { User, UserFields } from './user/user.entity';

/** The changes of a write. */
export interface Decision {
  fields: Partial<UserFields>;
  /** Whether data of the user has changed, so that its version is incremented although no field changes. */
  isTouched?: boolean;
  /** Absent: unchanged. */
  userNameKey?: string | null;
}

/** The data of a new user besides its fields. */
export interface NewUserExtras {
  userNameKey?: string | null;
  /** Writes rows of another feature, in the transaction of the user. */
  write?(manager: EntityManager, user: User): Promise<void>;
}

/** Decides the changes of a write, and may write rows of its own with the manager. The user stays locked. */
export type Decide = (user: User, manager: EntityManager) => Decision | Promise<Decision>;
