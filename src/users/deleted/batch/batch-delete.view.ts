import type { Fault } from '../../../platform/http/fault';

class ResultView {
  /**
   * The position of the element.
   * @example 0
   */
  index: number;

  /**
   * The id of the user; null if it is not known.
   * @example 'usr_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
  id: string | null;

  /**
   * On failure: the error code.
   * @example 'not_found'
   */
  code?: 'validation_failed' | 'not_found' | 'conflict';
}

/** The outcome of an element of a batch of deletions. */
export class BatchDeleteResultView extends ResultView {
  /**
   * The status that a separate request would have had: 204 deleted, 400 invalid, 404 no such user, 409 a table of the
   * application still refers to the user.
   * @example 204
   */
  status: 204 | 400 | 404 | 409;

  /**
   * Always null: the user is gone.
   * @example null
   */
  version: number | null;

  /** On a 400: every fault of the element, or the first one if all elements together have more than 1,000. */
  errors?: Fault[];
}

/** The number of elements of a batch of deletions with each outcome. */
export class BatchDeleteCountsView {
  /**
   * Users that were deleted.
   * @example 1
   */
  deleted: number;

  /**
   * Elements that were refused.
   * @example 0
   */
  failed: number;
}

/** The outcome of a batch of deletions. */
export class BatchDeleteAnswerView {
  /** One for each element, in the order of the request. */
  results: BatchDeleteResultView[];

  /**
   * The number of elements with each outcome.
   * @example { "deleted": 1, "failed": 0 }
   */
  counts: BatchDeleteCountsView;
}

/** The outcome of an element of a batch of restores. */
export class BatchRestoreResultView extends ResultView {
  /**
   * The status that a separate request would have had: 200 restored, 400 invalid, 404 no such deleted user, 409 the
   * email or the external id is taken by now.
   * @example 200
   */
  status: 200 | 400 | 404 | 409;

  /**
   * The version of the restored user; null on failure.
   * @example 2
   */
  version: number | null;

  /** On a 400 or 409: every fault of the element, or the first one if all elements together have more than 1,000. */
  errors?: Fault[];
}

/** The number of elements of a batch of restores with each outcome. */
export class BatchRestoreCountsView {
  /**
   * Users that were restored.
   * @example 1
   */
  restored: number;

  /**
   * Elements that were refused.
   * @example 0
   */
  failed: number;
}

/** The outcome of a batch of restores. */
export class BatchRestoreAnswerView {
  /** One for each element, in the order of the request. */
  results: BatchRestoreResultView[];

  /**
   * The number of elements with each outcome.
   * @example { "restored": 1, "failed": 0 }
   */
  counts: BatchRestoreCountsView;
}
