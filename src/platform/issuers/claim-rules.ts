import { isId } from '../database/id';
import { SCOPES, type Scope } from '../http/scopes';

/** Grants scopes in an organization to those whose claims have all of these values. */
export interface ClaimRule {
  conditions: readonly ClaimValue[];
  organizationId: string;
  scopes: Scope[];
}

export interface ClaimValue {
  claim: string;
  value: string;
}

/** The claims that an issuer has signed. */
export type Claims = Readonly<Record<string, unknown>>;

/** An organization that rules give access to, and the scopes there. */
export interface Grant {
  organizationId: string;
  scopes: Scope[];
}

/** A rule in two parts: the condition, and what it grants. `scopes` are those that the text names. */
type ReadRule<Rule> = (condition: string, grant: Grant, quoted: string) => Rule;

/** `… -> org_…`, followed by scopes or none. */
const RULE = /^(\S.*?)\s*->\s*(\S+)((?:\s+\S+)*)$/s;

/** Reads rules that are separated by commas. Throws an error that names each rule that makes no sense. */
export function parseRules<Rule>(parts: readonly string[], example: string, read: ReadRule<Rule>): Rule[] {
  const faults: string[] = [];
  const rules = parts.flatMap((part) => {
    try {
      return [parseRule(part.trim(), example, read)];
    } catch (error) {
      faults.push((error as Error).message);
      return [];
    }
  });
  if (faults.length > 0) throw new Error(faults.join('; '));
  return rules;
}

function parseRule<Rule>(text: string, example: string, read: ReadRule<Rule>): Rule {
  const quoted = JSON.stringify(text);
  const [, condition, organizationId, scopeList] = RULE.exec(text) ?? [];
  if (condition === undefined) throw notARule(example, quoted);
  if (!isId('org', organizationId))
    throw new Error(`has a rule without the id of an organization: ${quoted}`);
  const scopes = scopeList.split(/\s+/).filter(Boolean);
  const unknown = scopes.find((scope) => !SCOPES.some((known) => known === scope));
  if (unknown !== undefined)
    throw new Error(`has a rule with an unknown scope, ${JSON.stringify(unknown)}: ${quoted}`);
  return read(condition, { organizationId, scopes: [...new Set(scopes as Scope[])] }, quoted);
}

export const notARule = (example: string, quoted: string) =>
  new Error(`must be rules separated by commas, such as ${example}; ${quoted} is none`);

/** The organizations that the rules open to these claims. Scopes of several rules for one add up. */
export function grantsOf(rules: readonly ClaimRule[], claims: Claims): Grant[] {
  const granted = new Map<string, Set<Scope>>();
  for (const rule of rules) {
    if (!rule.conditions.every(({ claim, value }) => valuesOf(claims, claim).includes(value))) continue;
    const scopes = granted.get(rule.organizationId) ?? new Set();
    rule.scopes.forEach((scope) => scopes.add(scope));
    granted.set(rule.organizationId, scopes);
  }
  return [...granted].map(([organizationId, scopes]) => ({ organizationId, scopes: [...scopes] }));
}

/** The claims that the rules look at. */
export const claimsOf = (rules: readonly ClaimRule[]): string[] => [
  ...new Set(rules.flatMap(({ conditions }) => conditions.map(({ claim }) => claim))),
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
