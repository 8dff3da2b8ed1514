import { Check } from '../http/input/checks';

const MAX_TOKENS = 100;

export class ReportLeaksDto {
  /**
   * The values that were found, whether or not they are tokens of this service.
   * @example ["umt_Xv4TqL9nRb2WkYc7HsJd0PzGm5FaEu3M000000"]
   */
  @Check(
    (value) => {
      if (value === undefined) return [{ code: 'required', message: 'is required' }];
      if (!Array.isArray(value) || !value.every((token) => typeof token === 'string'))
        return [{ code: 'invalid', message: 'must be a list of strings' }];
      if (value.length === 0) return [{ code: 'too_short', message: 'must have at least one element' }];
      if (value.length > MAX_TOKENS)
        return [{ code: 'too_many', message: `must have at most ${MAX_TOKENS} elements` }];
      return [];
    },
    { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MAX_TOKENS },
  )
  tokens: string[];
}
