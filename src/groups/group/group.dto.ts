import { PartialType } from '@nestjs/mapped-types';
import { IsString } from 'class-validator';
import { fault, Id, Nullable, Optional, Text } from '../../platform/http/input/checks';
import { PageQuery } from '../../platform/pages/page';

/** A new group from a directory. */
export class CreateGroupDto {
  @Text(1, 256)
  displayName: string;

  @Nullable()
  @IsString(fault('invalid', 'must be a string'))
  externalId?: string | null;
}

// Without `skipNullProperties: false`, {"displayName": null} would be accepted.
export class UpdateGroupDto extends PartialType(CreateGroupDto, { skipNullProperties: false }) {}

export class ListGroupsDto extends PageQuery {
  /**
   * Only the group with this name; letter case is ignored.
   * @example 'Engineering'
   */
  @Optional()
  @Text(1, 256)
  displayName?: string;

  /**
   * Only the groups that the user with this id is in.
   * @example 'usr_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
  @Optional()
  @Id('usr')
  user?: string;
}
