import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { fault, Flag, OneOf, OnlyWith, Optional } from '../../platform/http/input/checks';
import { LevelsAround } from '../../platform/http/input/json-faults';
import { KEY_FIELDS, type KeyField, type Mode, MODES } from './batch-rules';

const MAX_USERS = 500;

const Users = () =>
  applyDecorators(
    IsArray(fault('invalid', 'must be a list of users')),
    ArrayMinSize(1, fault('too_short', 'must have at least one user')),
    ArrayMaxSize(MAX_USERS, fault('too_many', `must have at most ${MAX_USERS} users`)),
    LevelsAround(2),
  );

export class BatchDto {
  /**
   * The users, each as in a POST. In the mode `upsert`, existing users require only the field that identifies them.
   * @example [{ "name": "Ada Lovelace", "email": "ada@example.com" }]
   */
  @Users()
  users: unknown[];

  /**
   * What to do if the user of an element exists: `create` refuses the element, `upsert` changes that user as a PATCH
   * does.
   * @example 'upsert'
   */
  @Optional()
  @OneOf(MODES)
  mode: Mode = 'create';

  /**
   * The field that identifies the users of the mode `upsert`: `email`, the default, or `externalId`, with which an
   * element may also change the email.
   * @example 'externalId'
   */
  @Optional()
  @OneOf(KEY_FIELDS)
  @OnlyWith('mode', 'upsert')
  by?: KeyField;

  /**
   * Whether one failure prevents the whole batch: the response is then a 400, or a 409 if the only failures are taken
   * values.
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
