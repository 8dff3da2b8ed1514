import { IsString } from 'class-validator';
import { Email, fault, OneOf, Optional, Text } from '../../../platform/http/input/checks';
import { BatchOptions, Users } from '../../batch/batch.dto';
import { KEY_FIELDS, type KeyField } from '../../batch/batch-rules';

/** The id of a user. A malformed one is that of nobody, as in a path. */
export class UserIdDto {
  @IsString(fault('invalid', 'must be a string'))
  id: string;
}

class UserEmailDto {
  @Email()
  email: string;
}

class UserExternalIdDto {
  @Text(1, 200)
  externalId: string;
}

/** What an element is, by the field that identifies its user. */
export const IDENTITIES = { id: UserIdDto, email: UserEmailDto, externalId: UserExternalIdDto };

/** A batch as a program writes it. */
export type BatchOf<Dto> = Partial<Omit<Dto, 'users'>> & {
  users: readonly Partial<Record<KeyField, string>>[];
};

export class BatchDeleteDto extends BatchOptions {
  /**
   * The users, each by the field that `by` names.
   * @example [{ "id": "usr_01kacpb2w5r8y3h6j9m4n7p0qx" }]
   */
  @Users()
  users: unknown[];

  /**
   * The field that identifies the users.
   * @example 'id'
   */
  @Optional()
  @OneOf(KEY_FIELDS)
  by: KeyField = 'id';
}

export class BatchRestoreDto extends BatchOptions {
  /**
   * The deleted users, each by its `id`.
   * @example [{ "id": "usr_01kacpb2w5r8y3h6j9m4n7p0qx" }]
   */
  @Users()
  users: unknown[];
}
