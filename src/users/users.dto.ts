import { PartialType } from '@nestjs/mapped-types';
import { Email, Immutable, OneOf, Optional, Text, Words } from '../http/input/checks';
import { PageQuery } from '../pages/page';
import type { Order } from '../pages/paginate';
import { Metadata } from './metadata.check';
import { fold } from './search/search-text';
import {
  type Metadata as MetadataValue,
  type Role,
  ROLES,
  USER_SORTS,
  type UserSort,
  type WritableFields,
} from './user.fields';

export class CreateUserDto implements Partial<WritableFields> {
  /**
   * Full display name.
   * @example 'Ada Lovelace'
   */
  @Text(1, 200)
  name: string;

  /**
   * Primary email address; unique within the organization.
   * @example 'ada@example.com'
   */
  @Email()
  email: string;

  @Optional()
  @OneOf(ROLES)
  role?: Role;

  /**
   * Arbitrary key-value pairs for application use: at most 16 KB as compact JSON and 8 levels of objects and arrays.
   * @example { "plan": "pro" }
   */
  @Optional()
  @Metadata()
  metadata?: MetadataValue;

  @Immutable()
  id?: never;

  @Immutable()
  createdAt?: never;

  @Immutable()
  updatedAt?: never;
}

// Without `skipNullProperties: false`, {"email": null} would be accepted.
export class UpdateUserDto extends PartialType(CreateUserDto, { skipNullProperties: false }) {}

export class ListUsersDto extends PageQuery {
  @Optional()
  @OneOf(USER_SORTS)
  sort: UserSort = 'createdAt';

  /** The default is `desc` for `createdAt` and `updatedAt`, and `asc` for `name` and `email`. */
  @Optional()
  @OneOf(['asc', 'desc'])
  order?: Order;

  /** Only the user with this email address; letter case is ignored. */
  @Optional()
  @Email()
  email?: string;

  @Optional()
  @OneOf(ROLES)
  role?: Role;
}

export class SearchUsersDto extends PageQuery {
  /**
   * At most 10 words to search for. Each must be at the start of a word or inside one, in the name, the email or a string
   * value of the metadata; a word of one or two letters at the start only. Or an id, or at least its first 12 characters.
   */
  @Words(2, 200, 10, (q) => fold(q).split(' '))
  q: string;

  /** Only users with this role. */
  @Optional()
  @OneOf(ROLES)
  role?: Role;
}
