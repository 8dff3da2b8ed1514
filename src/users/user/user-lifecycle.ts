import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../platform/http/caller';
import type { User, UserFields } from './user.entity';

/** The changes of a write. */
export interface Decision {
  fields: Partial<UserFields>;
  /** Whether data of the user has changed, so that its version is incremented although no field changes. */
  isTouched?: boolean;
  /** Former values of this data, for the event. */
  previous?: object;
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

/** A user before a write, unless it is new, and after it. */
export interface UserChange {
  before?: User;
  after: User;
}

/** By the id of a user: former values that its event shows beside those of its fields. */
export type Previous = ReadonlyMap<string, object>;

/** A restored user. Its metadata is left out, because that of many users would take much memory. */
export type RestoredUser = Omit<User, 'metadata'>;

/** Steps of another feature in the transaction that changes, deletes or restores users; a throw undoes it. */
export interface UserSteps {
  /** The users have been changed. */
  changed?(manager: EntityManager, by: Caller, users: readonly Required<UserChange>[]): Promise<Previous>;
  /** The users with these ids have been moved to the deleted users. */
  deleted?(manager: EntityManager, by: Caller, ids: readonly string[]): Promise<void>;
  /** The users have been restored. */
  restored?(manager: EntityManager, by: Caller, users: readonly RestoredUser[]): Promise<void>;
}

/** The steps of features that store data about users. `users/` knows none: they register themselves at the start. */
@Injectable()
export class UserLifecycle {
  private readonly steps: UserSteps[] = [];

  add(steps: UserSteps): void {
    this.steps.push(steps);
  }

  async changed(
    manager: EntityManager,
    by: Caller,
    users: readonly Required<UserChange>[],
  ): Promise<Previous> {
    const all = new Map<string, object>();
    for (const steps of this.steps)
      for (const [id, previous] of (await steps.changed?.(manager, by, users)) ?? [])
        all.set(id, { ...all.get(id), ...previous });
    return all;
  }

  async deleted(manager: EntityManager, by: Caller, ids: readonly string[]): Promise<void> {
    for (const steps of this.steps) await steps.deleted?.(manager, by, ids);
  }

  async restored(manager: EntityManager, by: Caller, users: readonly RestoredUser[]): Promise<void> {
    for (const steps of this.steps) await steps.restored?.(manager, by, users);
  }
}
