import { reject, RequiredOption, Variable } from '../platform/feature/setting';
import { type ClaimRule, type ClaimValue, notARule, parseRules } from '../platform/issuers/claim-rules';
import { issuerUrl, publicUrl } from '../platform/issuers/urls';

/** Grants scopes in an organization to those whose assertion this issuer has signed. */
export interface IssuerRule extends ClaimRule {
  issuer: string;
}

const EXAMPLE =
  'https://token.actions.githubusercontent.com sub=repo:acme/crm:ref:refs/heads/main -> org_01kacpb2w5r8y3h6j9m4n7p0qx users:read';

/** An issuer, and the values of one claim or several, none of which has a space. */
const CONDITIONS = /^(\S+)((?:\s+[^\s=]+=\S+)+)$/;
const CONDITION = /^([^=]+)=(.+)$/;

/** A subject is stored, so it has neither control characters nor half of a surrogate pair. */
const SUBJECT = /^[^\p{Cc}\p{Cs}]+$/u;

/** Reads rules of the form `issuer sub=value claim=value -> org_… scope scope`. Throws an error with all faults. */
export const parseIssuerRules = (rules: readonly string[]): IssuerRule[] =>
  parseRules(rules, EXAMPLE, (text, grant, quoted) => {
    const [, issuer, list] = CONDITIONS.exec(text) ?? [];
    if (issuer === undefined) throw notARule(EXAMPLE, quoted);
    try {
      issuerUrl(issuer);
    } catch (error) {
      throw new Error(`has a rule whose issuer ${(error as Error).message}: ${quoted}`, { cause: error });
    }
    const conditions = list.trim().split(/\s+/).map(conditionOf);
    if (!conditions.some(({ claim, value }) => claim === 'sub' && SUBJECT.test(value)))
      throw new Error(`has a rule without a sub: ${quoted}`);
    if (grant.scopes.length === 0) throw new Error(`has a rule without scopes: ${quoted}`);
    return { issuer, conditions, ...grant };
  });

function conditionOf(text: string): ClaimValue {
  const [, claim, value] = CONDITION.exec(text)!;
  return { claim, value };
}

/** Checks the rules, and returns each as text. */
function checkedRules(given: unknown): string[] {
  if (!Array.isArray(given) || !given.every((rule) => typeof rule === 'string'))
    return reject('must be a list of rules');
  parseIssuerRules(given);
  return given;
}

const rules = (text: string) => checkedRules(text.split(',').map((part) => part.trim()));

const checkedUrl = (given: unknown) =>
  typeof given === 'string' ? publicUrl(given) : reject('must be a URL');

/** Whose signed assertions are exchanged for tokens, and for which ones. */
export class TokenIssuers {
  /** The audience of the assertions: the URL of the service. Required. */
  @Variable('PUBLIC_URL', publicUrl) @RequiredOption(checkedUrl) audience: string;
  /**
   * Rules of the form `issuer sub=value -> org_… scope scope`; further `claim=value` may follow the first, and all must
   * match.
   */
  @Variable('TOKEN_ISSUERS', rules) @RequiredOption(checkedRules) rules: readonly string[];
}

export interface TokenIssuersOptions {
  /** Default: none, and only client credentials are exchanged. */
  tokenIssuers?: TokenIssuers;
}

/** The faults of the variables together. */
export const tokenIssuersFaults = ({ TOKEN_ISSUERS, PUBLIC_URL }: NodeJS.ProcessEnv): string[] =>
  TOKEN_ISSUERS !== undefined && PUBLIC_URL === undefined
    ? [
        'PUBLIC_URL must be set with TOKEN_ISSUERS: the URL of the service, which assertions name as their audience',
      ]
    : [];
