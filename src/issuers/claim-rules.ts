import { isId } from '../../database/id';
import { SCOPES, type Scope } from '../../http/scopes';
import type { AllowedOrganization } from '../source/sign-in-source';

/** Grants scopes in an organization to users with a claim value. */
export interface AdminRule {
  claim: string;
  value: string;
  organizationId: string;
  scopes: Scope[];
}

/** The claims of an ID token about a user. */
export type Claims = Readonly<Record<string, unknown>>;

/** `claim=value -> org_…`, followed by scopes or none. */
const RULE = /^([^\s=]+)\s*=\s*(\S.*?)\s*->\s*(\S+)((?:\s+\S+)*)$/s;

/** Reads rules that are separated by commas. Throws an error that names each rule that makes no sense. */
export function parseAdminRules(text: string): AdminRule[] {
  const faults: string[] = [];
  const rules = text.split(',').flatMap((part) => {
    try {
      return [parseRule(part.trim())];
    } catch (error) {
      faults.push((error as Error).message);
      return [];
    }
  });
  if (faults.length > 0) throw new Error(faults.join('; '));
  return rules;
}

function parseRule(text: string): AdminRule {
  const quoted = JSON.stringify(text);
  const [, claim, value, organizationId, scopeList] = RULE.exec(text) ?? [];
  if (claim === undefined) {
    throw new Error(
      `must be rules separated by commas, such as groups=Admins -> org_01kacpb2w5r8y3h6j9m4n7p0qx, with scopes behind it or none; ${quoted} is none`,
    );
  }
  if (!isId('org', organizationId))
    throw new Error(`has a rule without the id of an organization: ${quoted}`);
  const scopes = scopeList.split(/\s+/).filter(Boolean);
  const unknown = scopes.find((scope) => !SCOPES.some((known) => known === scope));
  if (unknown !== undefined)
    throw new Error(`has a rule with an unknown scope, ${JSON.stringify(unknown)}: ${quoted}`);
  return {
    claim,
    value,
    organizationId,
    scopes: scopes.length > 0 ? [...new Set(scopes as Scope[])] : ['admin'],
  };
}

/** The organizations that the rules open to a user with these claims. Scopes of several rules for one add up. */
export function allowedOrganizations(rules: readonly AdminRule[], claims: Claims): AllowedOrganization[] {
  const granted = new Map<string, Set<Scope>>();
  for (const rule of rules) {
    if (!valuesOf(claims, rule.claim).includes(rule.value)) continue;
    const scopes = granted.get(rule.organizationId) ?? new Set();
    rule.scopes.forEach((scope) => scopes.add(scope));
    granted.set(rule.organizationId, scopes);
  }
  return [...granted].map(([organizationId, scopes]) => ({ organizationId, scopes: [...scopes] }));
}

/** The claims that match rules. They allow the same, and take less of a cookie than the ids of organizations. */
export function matchingClaims(rules: readonly AdminRule[], claims: Claims): Claims {
  const matching = claimsOf(rules).map((name): [string, string[]] => {
    const wanted = new Set(rules.filter(({ claim }) => claim === name).map(({ value }) => value));
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

/** The claims that the rules look at. */
export const claimsOf = (rules: readonly AdminRule[]): string[] => [
  ...new Set(rules.map(({ claim }) => claim)),
];

/**
 * The values of a claim as text. `email` counts only as one verified address, as OpenID Connect defines it: any other
 * may be somebody else's.
 */
export function valuesOf(claims: Claims, name: string): string[] {
  if (!Object.hasOwn(claims, name)) return [];
  if (name === 'email' && (claims.email_verified !== true || typeof claims.email !== 'string')) return [];
  return [claims[name]]
    .flat()
    .filter((value) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(String);
}
