import { applyDecorators } from '@nestjs/common';
import { Matches } from 'class-validator';
import { fault, Satisfies } from '../../platform/http/input/checks';

/**
 * A duration: a whole number without leading zeros, and the letter of its unit. `shape` is one expression for the whole
 * range, so that the OpenAPI document describes exactly what is accepted.
 */
const Duration = (unit: string, example: string, shape: RegExp, range: string) =>
  applyDecorators(
    Satisfies(
      'isDuration',
      [],
      (value) => typeof value === 'string' && new RegExp(`^(0|[1-9]\\d*)${unit[0]}$`).test(value),
      fault('invalid', `must be a number of ${unit} followed by ${unit[0]}, such as ${example}`),
    ),
    Matches(shape, fault('out_of_range', `must be ${range}`)),
  );

/** The term of a token, from `1d` to `3650d`. */
export const ExpiresIn = () =>
  Duration(
    'days',
    '90d',
    /^([1-9][0-9]{0,2}|[12][0-9]{3}|3[0-5][0-9]{2}|36[0-4][0-9]|3650)d$/,
    'from 1d to 3650d',
  );

/** The time for which the old and the new secret both work, from `0h` to `168h`. */
export const Overlap = () =>
  Duration('hours', '24h', /^(0|[1-9][0-9]?|1[0-5][0-9]|16[0-8])h$/, 'from 0h to 168h');

/** The number in a valid duration. */
export const numberIn = (duration: string): number => Number(duration.slice(0, -1));
