import {
  type Claims,
  type ClaimRule,
  claimsOf,
  notARule,
  parseRules,
  valuesOf,
} from '../../platform/issuers/claim-rules';

const EXAMPLE = 'groups=Admins -> org_01kacpb2w5r8y3h6j9m4n7p0qx, with scopes behind it or none';

/** `claim=value`; a value may have spaces. */
const CONDITION = /^([^\s=]+)\s*=\s*(\S.*)$/s;

/** Reads the rules of OIDC_ADMINS: `claim=value -> org_…`, and scopes or none, for `admin`. */
export const parseAdminRules = (text: string): ClaimRule[] =>
  parseRules(text.split(','), EXAMPLE, (condition, { organizationId, scopes }, quoted) => {
    const [, claim, value] = CONDITION.exec(condition) ?? [];
    if (claim === undefined) throw notARule(EXAMPLE, quoted);
    return {
      conditions: [{ claim, value }],
      organizationId,
      scopes: scopes.length > 0 ? scopes : ['admin'],
    };
  });

/** The claims that match rules. They allow the same, and take less of a cookie than the ids of organizations. */
export function matchingClaims(rules: readonly ClaimRule[], claims: Claims): Claims {
  const conditions = rules.flatMap((rule) => rule.conditions);
  const matching = claimsOf(rules).map((name): [string, string[]] => {
    const wanted = new Set(conditions.filter(({ claim }) => claim === name).map(({ value }) => value));
    return [name, [...new Set(valuesOf(claims, name))].filter((value) => wanted.has(value))];
  });
  // Built from entries, because a claim may have any name, such as __proto__.
  return Object.fromEntries([
    ...matching
      .filter(([name, values]) => name !== 'email_verified' && values.length > 0)
      .map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
    ['email_verified', claims.email_verified],
  ]);
}
