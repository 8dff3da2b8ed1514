import { applyDecorators } from '@nestjs/common';
import { Matches } from 'class-validator';
import { fault, Satisfies } from '../http/input/checks';

/** From 1d to 3650d, without leading zeros. One expression, so that the OpenAPI document promises what is accepted. */
const SHAPE = /^([1-9][0-9]{0,2}|[12][0-9]{3}|3[0-5][0-9]{2}|36[0-4][0-9]|3650)d$/;

/** The days in a duration such as `90d`, from 1 to 3650; null if the text is not such a duration. */
export function daysOf(duration: string): number | null {
  const days = SHAPE.exec(duration)?.[1];
  return days === undefined ? null : Number(days);
}

/** A duration that `daysOf()` accepts. */
export const ExpiresIn = () =>
  applyDecorators(
    Satisfies(
      'isDuration',
      [],
      (value) => typeof value === 'string' && /^(0|[1-9]\d*)d$/.test(value),
      fault('invalid', 'must be a number of days followed by d, such as 90d'),
    ),
    Matches(SHAPE, fault('out_of_range', 'must be from 1d to 3650d')),
  );
