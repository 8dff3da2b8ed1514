import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsString } from 'class-validator';
import { fault } from '../http/input/checks';

const MAX_TOKENS = 100;
const NO_STRINGS = fault('invalid', 'must be a list of strings');

const Values = () =>
  applyDecorators(
    IsArray(NO_STRINGS),
    IsString({ ...NO_STRINGS, each: true }),
    ArrayMinSize(1, fault('too_short', 'must have at least one element')),
    ArrayMaxSize(MAX_TOKENS, fault('too_many', `must have at most ${MAX_TOKENS} elements`)),
  );

export class ReportLeaksDto {
  /**
   * The values that were found, whether or not they are tokens of this service.
   * @example ["umt_Xv4TqL9nRb2WkYc7HsJd0PzGm5FaEu3M000000"]
   */
  @Values()
  tokens: string[];
}
