import { OmitType, PartialType } from '@nestjs/mapped-types';
import { Email, Flag, Immutable, Nullable, OneOf, Optional, Text } from '../../platform/http/input/checks';
import { ValidatedByService } from '../../platform/http/input/input.pipe';
import { MetadataPatch, UserMetadata } from './metadata.check';
import { type Metadata, type Role, ROLES, type UserFields } from './user.entity';

/** The input with metadata of the application's own type. */
export type WithMetadata<Dto, Values> = Omit<Dto, 'metadata'> & { metadata?: Values };

/** A merge patch of these values: null removes a key, also inside an object. */
export type PatchOf<Values> = Values extends readonly unknown[]
  ? Values
  : Values extends object
    ? { [Key in keyof Values]?: PatchOf<Values[Key]> | null }
    : Values;

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
