import { Check, Flag, OneOf, Optional } from '../../http/input/checks';
import { type Mode, MODES } from './batch-rules';

const MAX_USERS = 500;

export class BatchDto {
  /**
   * The users, each as in a POST. In the mode `upsert` only the email is required of those that exist.
   * @example [{ "name": "Ada Lovelace", "email": "ada@example.com" }]
   */
  @Check(
    (value) => {
      if (value === undefined) return [{ code: 'required', message: 'is required' }];
      if (!Array.isArray(value)) return [{ code: 'invalid', message: 'must be a list of users' }];
      if (value.length === 0) return [{ code: 'too_short', message: 'must have at least one user' }];
      if (value.length <= MAX_USERS) return [];
      return [{ code: 'too_many', message: `must have at most ${MAX_USERS} users` }];
    },
    {
      type: 'array',
      minItems: 1,
      maxItems: MAX_USERS,
      items: { $ref: '#/components/schemas/BatchUser' },
      levelsAround: 2,
    },
  )
  users: unknown[];

  /**
   * What happens to an email that a user has: `create` refuses it, `upsert` changes that user as a PATCH does.
   * @example 'upsert'
   */
  @Optional()
  @OneOf(MODES)
  mode: Mode = 'create';

  /**
   * Whether one failure keeps all others from being written: the response is then a 400, or a 409 if only emails are taken.
   * @example false
   */
  @Optional()
  @Flag()
  atomic: boolean = false;

  /**
   * Whether to only tell what would happen.
   * @example false
   */
  @Optional()
  @Flag()
  dryRun: boolean = false;
}
