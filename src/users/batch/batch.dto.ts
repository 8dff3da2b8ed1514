import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { fault, Flag, OneOf, OnlyWith, Optional, Satisfies } from '../../platform/http/input/checks';
import { LevelsAround } from '../../platform/http/input/json-faults';
import { KEY_FIELDS, type KeyField, type Mode, MODES } from './batch-rules';

const MAX_USERS = 500;

/** The elements of a batch. */
export const Users = () =>
  applyDecorators(
    IsArray(fault('invalid', 'must be a list of users')),
    ArrayMinSize(1, fault('too_short', 'must have at least one user')),
    ArrayMaxSize(MAX_USERS, fault('too_many', `must have at most ${MAX_USERS} users`)),
    LevelsAround(2),
  );

const By = () =>
  applyDecorators(
    OneOf(KEY_FIELDS),
    OnlyWith('mode', 'upsert', 'update'),
    Satisfies(
      'isIdOfUpdate',
      [],
      (by, { mode }: Partial<BatchDto>) => by !== 'id' || mode === 'update',
      fault('invalid', 'must not be id, unless mode is update'),
    ),
  );

const Merge = () => applyDecorators(Flag(), OnlyWith('mode', 'upsert', 'update'));

/** How a batch of any kind is run. */
export class BatchOptions {
  /**
   * Whether one failure prevents the whole batch: the response is then a 400, or a 409 if the only failures are 409s.
   * @example false
   */
  @Optional()
  @Flag()
  atomic: boolean = false;

  /**
   * Whether to report what would happen without writing anything.
   * @example false
   */
  @Optional()
  @Flag()
  dryRun: boolean = false;
}

export class BatchDto extends BatchOptions {
  /**
   * The users, each as in a POST. In the modes `upsert` and `update`, existing users require only the field that
   * identifies them.
   * @example [{ "name": "Ada Lovelace", "email": "ada@example.com" }]
   */
  @Users()
  users: unknown[];

  /**
   * What an element does: `create` creates a user, and is refused if the user exists; `update` changes an existing user
   * as a PATCH does, and is refused if there is none; `upsert` does either.
   * @example 'upsert'
   */
  @Optional()
  @OneOf(MODES)
  mode: Mode = 'create';

  /**
   * The field that identifies the users of the modes `upsert` and `update`: `email`, the default; `externalId`, with
   * which an element may also change the email; or, for `update` alone, `id`.
   * @example 'externalId'
   */
  @Optional()
  @By()
  by?: KeyField;

  /**
   * Whether the metadata of elements is merged into that of the users, as by a merge patch (RFC 7396): a key that is
   * null is removed, and a key that is not given stays. Only with `upsert` and `update`.
   * @example false
   */
  @Optional()
  @Merge()
  merge?: boolean;
}
