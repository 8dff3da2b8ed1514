import { Optional, Text } from '../http/input/checks';

export class OrganizationNameDto {
  /** A name for people. */
  @Text(1, 200)
  name: string;
}

export class CreateOrganizationDto extends OrganizationNameDto {
  /** The id by which another system knows the organization; no two organizations have the same. */
  @Optional()
  @Text(1, 200)
  externalId?: string;
}
