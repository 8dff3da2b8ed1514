import type { Fault } from '../../platform/http/fault';

/** The outcome of an element of a batch. */
export class BatchResultView {
  /**
   * The position of the element.
   * @example 0
   */
  index: number;

  /**
   * The status that a separate request would have had: 201 created, 200 updated or unchanged, 400 invalid, 404 no such
   * user, 409 email or external id taken.
   * @example 201
   */
  status: 200 | 201 | 400 | 404 | 409;

  /**
   * The id of the user; null on failure, and if a dry run would create the user.
   * @example 'usr_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
  id: string | null;

  /**
   * The version of the user; null if `id` is null.
   * @example 1
   */
  version: number | null;

  /**
   * On failure: the error code.
   * @example 'validation_failed'
   */
  code?: 'validation_failed' | 'not_found' | 'conflict';

  /** On a 400 or 409: every fault of the element, or the first one if all elements together have more than 1,000. */
  errors?: Fault[];
}

/** The number of elements of a batch with each outcome. */
export class BatchCountsView {
  /**
   * New users.
   * @example 1
   */
  created: number;

  /**
   * Users that were changed.
   * @example 0
   */
  updated: number;

  /**
   * Users that already had these values.
   * @example 0
   */
  unchanged: number;

  /**
   * Elements that were refused.
   * @example 0
   */
  failed: number;
}

/** The outcome of a batch. */
export class BatchAnswerView {
  /** One for each element, in the order of the request. */
  results: BatchResultView[];

  /**
   * The number of elements with each outcome.
   * @example { "created": 1, "updated": 0, "unchanged": 0, "failed": 0 }
   */
  counts: BatchCountsView;
}
