import { BadRequestException, ConflictException } from '@nestjs/common';

export type FaultCode =
  | 'required'
  | 'unknown'
  | 'immutable'
  | 'taken'
  | 'invalid'
  | 'too_short'
  | 'too_long'
  | 'too_many'
  | 'out_of_range';

/** What is wrong with one field. The message completes "<field> …" and never repeats the value. */
export interface Fault {
  field: string;
  code: FaultCode;
  message: string;
}

/** More faults than this help nobody, and a body can be made to have thousands. */
const MAX_FAULTS = 100;

/** The 400 that names every faulty field. */
export const invalidInput = (errors: Fault[], code = 'validation_failed') =>
  new BadRequestException({
    code,
    message: errors.length === 1 ? '1 field is invalid.' : `${errors.length} fields are invalid.`,
    errors: errors.slice(0, MAX_FAULTS),
  });

/** The 409 that names the field whose value is taken. */
export const conflict = (error: Fault) =>
  new ConflictException({ message: `The ${error.field} ${error.message}.`, errors: [error] });
