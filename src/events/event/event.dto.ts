import { Matches } from 'class-validator';
import { fault, Id, OneOf, Optional } from '../../platform/http/input/checks';
import { PageQuery } from '../../platform/pages/page';
import type { Order } from '../../platform/pages/paginate';
import { TimeBound } from '../../platform/pages/range';
import { EVENT_TARGETS, EVENT_TYPES } from './event.types';

const TYPE = `(${EVENT_TYPES.join('|').replaceAll('.', '\\.')})`;

export class ListEventsDto extends PageQuery {
  /**
   * The direction of the list: `asc`, oldest first, is the feed, with a `nextCursor` on every page; `desc` is the
   * history.
   * @example 'desc'
   */
  @Optional()
  @OneOf(['asc', 'desc'])
  order: Order = 'asc';

  /**
   * Only events of these types, separated by commas.
   * @example 'user.created,user.updated'
   */
  @Optional()
  @Matches(
    new RegExp(`^${TYPE}(,${TYPE})*$`),
    fault('invalid', `must be one of ${EVENT_TYPES.join(', ')}, or several by commas`),
  )
  type?: string;

  /**
   * Only events of the user, group, token, webhook or organization with this id. Those of a user include how it was
   * added to groups and removed from them, although the target of these events is the group.
   * @example 'usr_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
  @Optional()
  @Id(...Object.values(EVENT_TARGETS))
  target?: string;

  /**
   * Only changes that were made with the token that has this id.
   * @example 'tok_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
  @Optional()
  @Id('tok')
  actor?: string;

  /**
   * Only events at this time or later; a date alone is its midnight in UTC.
   * @example '2026-01-31T09:30:00.000Z'
   */
  @Optional()
  @TimeBound()
  since?: string;

  /**
   * Only events before this time; a date alone is its midnight in UTC.
   * @example '2026-02-28T00:00:00.000Z'
   */
  @Optional()
  @TimeBound()
  until?: string;
}
