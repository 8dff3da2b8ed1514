import { applyDecorators } from '@nestjs/common';
import { OmitType, PartialType } from '@nestjs/mapped-types';
import {
  Email,
  Flag,
  FlagText,
  Id,
  Immutable,
  Instant,
  NotWith,
  Nullable,
  OneOf,
  OnlyWith,
  Optional,
  Text,
} from '../../platform/http/input/checks';
import { ValidatedByService } from '../../platform/http/input/input.pipe';
import { PageQuery } from '../../platform/pages/page';
import type { Order } from '../../platform/pages/paginate';
import { MetadataPatch, UserMetadata } from './metadata.check';
import { type Metadata, type Role, ROLES, type UserFields } from './user.entity';
import { USER_SORTS, type UserSort } from './user.sorts';

/**
 * A bound of the time that the list is sorted by: the users who pass are a range of the index of that sort. The members
 * of a group are not, so all of them would have to be read.
 */
const BoundOf = (time: UserSort) =>
  applyDecorators(Optional(), Instant(), OnlyWith('sort', time), NotWith('group'));

export class CreateUserDto implements Partial<UserFields> {
  /**
   * Your own id of the user, such as a personnel number or the id in another system. It is unique within the
   * organization and compared exactly; surrounding white space is removed. Null means none.
   * @example 'E-4711'
   */
  @Nullable()
  @Text(1, 200)
  externalId?: string | null;

  /**
   * Full display name; surrounding white space is removed.
   * @example 'Ada Lovelace'
   */
  @Text(1, 200)
  name: string;

  /**
   * Primary email address, unique within the organization; surrounding white space is removed.
   * @example 'ada@example.com'
   */
  @Email()
  email: string;

  /**
   * For your application; the service does not interpret it. A new user is a `member` by default.
   * @example 'member'
   */
  @Optional()
  @OneOf(ROLES)
  role?: Role;

  /**
   * For your application; the service does not interpret it. A new user is active by default.
   * @example true
   */
  @Optional()
  @Flag()
  active?: boolean;

  /**
   * Arbitrary key-value pairs for your application: at most 1,000 JSON values of any type, at most 16 KB as compact
   * JSON, and at most 8 levels of objects and arrays.
   * @example { "plan": "pro" }
   */
  @Optional()
  @UserMetadata()
  metadata?: Metadata;

  @Immutable()
  id?: never;

  @Immutable()
  version?: never;

  @Immutable()
  createdAt?: never;

  @Immutable()
  updatedAt?: never;
}

// Without `skipNullProperties: false`, {"email": null} would be accepted. The service validates a body, because its
// media type decides by which of the two classes.
@ValidatedByService()
export class UpdateUserDto extends PartialType(CreateUserDto, { skipNullProperties: false }) {}

/** A merge patch (RFC 7396). */
export class MergeUserDto extends OmitType(UpdateUserDto, ['metadata']) {
  /**
   * Changes of the metadata: a key that is null is removed, also inside an object, and any other value replaces the
   * one that is there. The result has the limits of metadata.
   * @example { "plan": "pro", "trial": null }
   */
  @Optional()
  @MetadataPatch()
  metadata?: Metadata;
}

/** The query parameters of a list and of a search. */
export class UsersQuery extends PageQuery {
  /**
   * Only users with this role.
   * @example 'member'
   */
  @Optional()
  @OneOf(ROLES)
  role?: Role;

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
   * Only users who were created at this time or later. Only for a list
   * sorted by `createdAt`, and not together with `group`.
   * @example '2026-01-31T09:30:00.000Z'
   */
  @BoundOf('createdAt')
  createdSince?: string;

  /**
   * Only users who were created before this time. Only for a list
   * sorted by `createdAt`, and not together with `group`.
   * @example '2026-02-28T00:00:00.000Z'
   */
  @BoundOf('createdAt')
  createdUntil?: string;

  /**
   * Only users who were last changed at this time or later. Only with
   * `sort=updatedAt`, and not together with `group`.
   * @example '2026-01-31T09:30:00.000Z'
   */
  @BoundOf('updatedAt')
  updatedSince?: string;

  /**
   * Only users who were last changed before this time. Only with
   * `sort=updatedAt`, and not together with `group`.
   * @example '2026-02-28T00:00:00.000Z'
   */
  @BoundOf('updatedAt')
  updatedUntil?: string;
}
