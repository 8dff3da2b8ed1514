import { PageView } from '../../platform/pages/page';
import type { Group } from './group.entity';

/** A group of the organization's directory. */
export class GroupView implements Pick<
  Group,
  'id' | 'displayName' | 'externalId' | 'memberCount' | 'createdAt' | 'updatedAt'
> {
  /**
   * Assigned by the service: `grp_` and 26 letters and digits.
   * @example 'grp_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
  id: string;

  /**
   * The name of the group, unique in the organization without regard to letter case.
   * @example 'Engineering'
   */
  displayName: string;

  /**
   * The id by which the directory knows the group; null if it gave none.
   * @example '8c2b3f7e-58f4-4b4c-9a43-0c6c0b1d9d7e'
   */
  externalId: string | null;

  /**
   * How many users are in the group.
   * @example 42
   */
  memberCount: number;

  /**
   * When the group was created.
   * @example '2026-01-31T09:30:00.000Z'
   */
  createdAt: Date;

  /**
   * When the directory last changed the group or its members.
   * @example '2026-01-31T09:30:00.000Z'
   */
  updatedAt: Date;
}

/** A page of groups. */
export class GroupPageView extends PageView {
  /** The groups of this page. */
  data: GroupView[];
}
