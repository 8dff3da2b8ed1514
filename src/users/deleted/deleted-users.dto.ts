import { Email, Optional } from '../../platform/http/input/checks';
import { UserPageQuery } from '../query/users-query.dto';

export class ListDeletedUsersDto extends UserPageQuery {
  /**
   * Only users who had this email address; letter case is ignored.
   * @example 'ada@example.com'
   */
  @Optional()
  @Email()
  email?: string;
}

export class RestoreUserDto {
  /**
   * Another email address for the user, if the former one is taken by now.
   * @example 'ada@example.com'
   */
  @Optional()
  @Email()
  email?: string;
}
