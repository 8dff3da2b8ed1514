import { applyDecorators } from '@nestjs/common';
import { Matches } from 'class-validator';
import { fault, Satisfies } from '../http/input/checks';

/** From 0h to 168h, without leading zeros. */
const SHAPE = /^(0|[1-9][0-9]?|1[0-5][0-9]|16[0-8])h$/;

/** A duration of whole hours, from `0h` to `168h`. */
export const Overlap = () =>
  applyDecorators(
    Satisfies(
      'isDuration',
      [],
      (value) => typeof value === 'string' && /^(0|[1-9]\d*)h$/.test(value),
      fault('invalid', 'must be a number of hours followed by h, such as 24h'),
    ),
    Matches(SHAPE, fault('out_of_range', 'must be from 0h to 168h')),
  );

/** The hours of such a duration. */
export const hoursOf = (overlap: string): number => Number(overlap.slice(0, -1));
