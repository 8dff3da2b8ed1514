import { Id, Optional } from '../platform/http/input/checks';

export class CreateSessionDto {
  /** The organization, for people who may open the dashboard of several. */
  @Optional()
  @Id('org')
  organizationId?: string;
}
