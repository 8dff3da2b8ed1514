import { Text } from '../http/input/checks';

export class CreateOrganizationDto {
  /** What people call it. */
  @Text(1, 200)
  name: string;
}
