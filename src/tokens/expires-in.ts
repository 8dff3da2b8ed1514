import { Check } from '../http/input/checks';

const SHAPE = /^([1-9]\d{0,3})d$/;
const MAX_DAYS = 3650;

/** The days in a duration such as `90d`, from 1 to 3650; null if the text is not such a duration. */
export function daysOf(duration: string): number | null {
  const days = Number(SHAPE.exec(duration)?.[1]);
  return days <= MAX_DAYS ? days : null;
}

/** A duration that `daysOf()` accepts. */
export const ExpiresIn = () =>
  Check(
    (value) => {
      if (typeof value === 'string') {
        if (daysOf(value) !== null) return [];
        if (/^\d+d$/.test(value) && !/^0\d/.test(value)) {
          return [{ code: 'out_of_range', message: `must be from 1d to ${MAX_DAYS}d` }];
        }
      }
      return [{ code: 'invalid', message: 'must be a number of days followed by d, such as 90d' }];
    },
    { type: 'string', pattern: SHAPE.source },
  );
