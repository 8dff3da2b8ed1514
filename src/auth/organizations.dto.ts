import { Text } from '../http/input/checks';

export class CreateOrganizationDto {
  /** A name for people. */
  @Text(1, 200)
  name: string;
}
