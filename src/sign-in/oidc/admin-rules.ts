import { isId } from '../../database/id';
import { SCOPES, type Scope } from '../../http/scopes';

/** Whoever has this value of a claim gets these scopes in this organization. */
export interface AdminRule {
  claim: string;
  value: string;
  organizationId: string;
  scopes: Scope[];
}

/** What an issuer says about a person. */
export type Claims = Readonly<Record<string, unknown>>;

/** What a person may have in an organization. */
export interface Grant {
  organizationId: string;
  scopes: Scope[];
}

/** `claim=value -> org_…`, and scopes behind it. */
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
  const [, claim, value, organizationId, behind] = RULE.exec(text) ?? [];
  if (claim === undefined) {
    throw new Error(
      `must be rules separated by commas, such as groups=Admins -> org_01kacpb2w5r8y3h6j9m4n7p0qx, with scopes behind it or none; ${quoted} is none`,
    );
  }
  if (!isId('org', organizationId))
    throw new Error(`has a rule without the id of an organization: ${quoted}`);
  const scopes = behind.split(/\s+/).filter(Boolean);
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

/** What the rules give to a person with these claims. The rules of an organization are united. */
export function grantsOf(rules: readonly AdminRule[], claims: Claims): Grant[] {
  const granted = new Map<string, Set<Scope>>();
  for (const rule of rules) {
    if (!valuesOf(claims, rule.claim).includes(rule.value)) continue;
    const scopes = granted.get(rule.organizationId) ?? new Set();
    rule.scopes.forEach((scope) => scopes.add(scope));
    granted.set(rule.organizationId, scopes);
  }
  return [...granted].map(([organizationId, scopes]) => ({ organizationId, scopes: [...scopes] }));
}

/** The part of the claims that matches rules. It gives the same grants, and is short: organizations have longer ids than groups have names. */
export function matchingClaims(rules: readonly AdminRule[], claims: Claims): Claims {
  const matching = claimsOf(rules).map((name): [string, unknown] => {
    const wanted = new Set(rules.filter(({ claim }) => claim === name).map(({ value }) => value));
    return [name, [...new Set(valuesOf(claims, name))].filter((value) => wanted.has(value))];
  });
  // From entries, because the name of a claim may be anything, such as __proto__.
  return Object.fromEntries([
    ...matching.filter(([name, values]) => name !== 'email_verified' && (values as string[]).length > 0),
    ['email_verified', claims.email_verified],
  ]);
}

/** The claims that the rules look at. */
export const claimsOf = (rules: readonly AdminRule[]): string[] => [
  ...new Set(rules.map(({ claim }) => claim)),
];

/** The values of a claim as text. An address that the issuer has not verified may be somebody else's, so it is none. */
export function valuesOf(claims: Claims, name: string): string[] {
  if (!Object.hasOwn(claims, name)) return [];
  if (name === 'email' && claims.email_verified !== true) return [];
  return [claims[name]]
    .flat()
    .filter((value) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(String);
}
