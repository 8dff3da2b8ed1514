import { PartialType } from '@nestjs/mapped-types';
import { Text } from '../http/input/checks';

export class OrganizationNameDto {
  /** A name for people. */
  @Text(1, 200)
  name: string;
}

export class ExternalIdDto {
  /** The id by which another system knows the organization; no two organizations have the same. */
  @Text(1, 200)
  externalId: string;
}

export class CreateOrganizationDto extends PartialType(ExternalIdDto, { skipNullProperties: false }) {
  /** A name for people. */
  @Text(1, 200)
  name: string;
}
