import { PageView } from '../../platform/pages/page';
import type { Metadata } from '../user/user.entity';
import { UserView } from '../user/user.view';

/** A deleted user, as it was before the deletion. */
export class DeletedUserView extends UserView {
  /**
   * When the user was deleted.
   * @example '2026-02-28T17:00:00.000Z'
   */
  deletedAt: Date;

  /**
   * When the user becomes due for purging, which happens within an hour, unless it is restored.
   * @example '2026-03-30T17:00:00.000Z'
   */
  purgeAt: Date;
}

/** A deleted user as the services return it. */
export interface DeletedUserRecord<Values extends object = Metadata> extends Omit<
  DeletedUserView,
  'metadata'
> {
  metadata: Values;
}

/** A page of deleted users. */
export class DeletedUserPageView extends PageView {
  /** The users of this page. */
  data: DeletedUserView[];
}
