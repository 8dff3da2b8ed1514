import { applyDecorators } from '@nestjs/common';
import { ValidateIf } from 'class-validator';
import {
  Email,
  FlagText,
  Id,
  Ids,
  NotWith,
  OneOf,
  OnlyWith,
  Optional,
  SeveralOf,
  Text,
} from '../../platform/http/input/checks';
import { PageQuery } from '../../platform/pages/page';
import type { Order } from '../../platform/pages/paginate';
import { TimeBound } from '../../platform/pages/range';
import { type Role, ROLES } from '../user/user.entity';
import { USER_SORTS, type UserSort } from './user.sorts';

/** How many users a list finds by their ids. */
const MAX_IDS = 200;

/**
 * A bound of the time that the list is sorted by: the users who pass are a range of the index of that sort. The members
 * of a group are not, so all of them would have to be read.
 */
const BoundOf = (time: UserSort) =>
  applyDecorators(Optional(), TimeBound(), OnlyWith('sort', time), NotWith('group'));

export const INCLUDES = ['directory'] as const;
export type Include = (typeof INCLUDES)[number];

/** The query parameters of one user. */
export class UserQuery {
  /**
   * What to show besides the fields of the user: `directory`, the attributes that a directory has set through SCIM.
   * @example ['directory']
   */
  @Optional()
  @SeveralOf(INCLUDES)
  include?: Include | Include[];
}

/** The property is required if the other one is absent, and may not be there beside it. */
const InsteadOf = (other: string) =>
  applyDecorators(
    ValidateIf((key: Record<string, unknown>, value) => value !== undefined || key[other] === undefined),
    NotWith(other),
  );

/** One of a user's unique values. */
export type UserKey = { externalId: string; email?: never } | { email: string; externalId?: never };

export class UserKeyDto {
  @InsteadOf('email')
  @Text(1, 200)
  externalId?: string;

  @InsteadOf('externalId')
  @Email()
  email?: string;
}

/** The query parameters of lists whose items are users, deleted ones or not. */
export class UserPageQuery extends PageQuery {
  /**
   * What to show besides the fields of the users: `directory`, the attributes that a directory has set through SCIM.
   * @example ['directory']
   */
  @Optional()
  @SeveralOf(INCLUDES)
  include?: Include | Include[];
}

/** The query parameters of a list and of a search. */
export class UsersQuery extends UserPageQuery {
  /**
   * Only users with one of these roles.
   * @example ['member', 'viewer']
   */
  @Optional()
  @SeveralOf(ROLES)
  role?: Role | Role[];

  /**
   * Only users who are active, or only those who are not.
   * @example true
   */
  @Optional()
  @FlagText()
  active?: boolean;
}

export class ListUsersDto extends UsersQuery {
  /**
   * The field to sort by. Letter case is ignored; for `name`, so are accents.
   * @example 'name'
   */
  @Optional()
  @OneOf(Object.keys(USER_SORTS))
  sort: UserSort = 'createdAt';

  /**
   * The direction of the sort. The default is `desc` for `createdAt` and `updatedAt`, and `asc` for `name` and `email`.
   * @example 'asc'
   */
  @Optional()
  @OneOf(['asc', 'desc'])
  order?: Order;

  /**
   * Only the users with these ids, up to 200.
   * @example ['usr_01kacpb2w5r8y3h6j9m4n7p0qx']
   */
  @Optional()
  @Ids('usr', MAX_IDS)
  id?: string | string[];

  /**
   * Only the user with this external id.
   * @example 'E-4711'
   */
  @Optional()
  @Text(1, 200)
  externalId?: string;

  /**
   * Only the user with this email address; letter case is ignored.
   * @example 'ada@example.com'
   */
  @Optional()
  @Email()
  email?: string;

  /**
   * Only the members of the group with this id.
   * @example 'grp_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
  @Optional()
  @Id('grp')
  group?: string;

  /**
   * Only users who were created at this time or later; a date alone is its midnight in UTC. Only for a list sorted by
   * `createdAt`, and not together with `group`.
   * @example '2026-01-31T09:30:00.000Z'
   */
  @BoundOf('createdAt')
  createdSince?: string;

  /**
   * Only users who were created before this time; a date alone is its midnight in UTC. Only for a list sorted by
   * `createdAt`, and not together with `group`.
   * @example '2026-02-28T00:00:00.000Z'
   */
  @BoundOf('createdAt')
  createdUntil?: string;

  /**
   * Only users who were last changed at this time or later; a date alone is its midnight in UTC. Only with
   * `sort=updatedAt`, and not together with `group`.
   * @example '2026-01-31T09:30:00.000Z'
   */
  @BoundOf('updatedAt')
  updatedSince?: string;

  /**
   * Only users who were last changed before this time; a date alone is its midnight in UTC. Only with
   * `sort=updatedAt`, and not together with `group`.
   * @example '2026-02-28T00:00:00.000Z'
   */
  @BoundOf('updatedAt')
  updatedUntil?: string;
}
