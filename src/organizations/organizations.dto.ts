import { PartialType, PickType } from '@nestjs/mapped-types';
import { Flag, Nullable, OneOf, Optional, Text } from '../platform/http/input/checks';
import { PageQuery } from '../platform/pages/page';
import type { Order } from '../platform/pages/paginate';

export class ExternalIdDto {
  /** The id by which another system knows the organization; no two organizations have the same. */
  @Text(1, 200)
  externalId: string;
}

export class CreateOrganizationDto {
  /**
   * A name for people; surrounding white space is removed.
   * @example 'Example Inc.'
   */
  @Text(1, 100)
  name: string;

  /**
   * The id by which another system knows the organization; no two organizations have the same. Null means none.
   * @example 'customer-4711'
   */
  @Nullable()
  @Text(1, 200)
  externalId?: string | null;
}

export class OrganizationNameDto extends PickType(CreateOrganizationDto, ['name']) {}

// Without `skipNullProperties: false`, {"name": null} would be accepted.
export class UpdateOrganizationDto extends PartialType(CreateOrganizationDto, { skipNullProperties: false }) {
  /**
   * Whether every access with a token of the organization is refused, and nothing is sent to its webhooks.
   * @example true
   */
  @Optional()
  @Flag()
  suspended?: boolean;
}

export class ListOrganizationsDto extends PageQuery {
  /**
   * The direction of the list, which is by `createdAt`.
   * @example 'asc'
   */
  @Optional()
  @OneOf(['asc', 'desc'])
  order: Order = 'desc';

  /**
   * Only the organization with this external id.
   * @example 'customer-4711'
   */
  @Optional()
  @Text(1, 200)
  externalId?: string;
}
