import { Check } from '../http/input/checks';

/** From 0h to 168h, without leading zeros. */
const SHAPE = /^(0|[1-9][0-9]?|1[0-5][0-9]|16[0-8])h$/;

/** A duration of whole hours, from `0h` to `168h`. */
export const Overlap = () =>
  Check(
    (value) => {
      if (typeof value === 'string') {
        if (SHAPE.test(value)) return [];
        if (/^[1-9]\d*h$/.test(value)) return [{ code: 'out_of_range', message: 'must be from 0h to 168h' }];
      }
      return [{ code: 'invalid', message: 'must be a number of hours followed by h, such as 24h' }];
    },
    { type: 'string', pattern: SHAPE.source },
  );

/** The hours of such a duration. */
export const hoursOf = (overlap: string): number => Number(overlap.slice(0, -1));
