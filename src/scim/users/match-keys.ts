import { hash } from 'node:crypto';
import { emailKey } from '../../users/user/user.keys';
import { type Comparison } from '../filter/filter';
import type { Complex, Resource } from '../schema/resource';
import { ENTERPRISE_URN, KEYED, USER } from '../schema/user.schema';
import { resolve } from '../schema/resource-schema';

/** A key for each value of the resource that a filter can compare. */
export function matchKeys(resource: Resource): string[] {
  const extension = (resource[ENTERPRISE_URN] ?? {}) as Complex;
  const keys = KEYED.flatMap((path) => {
    const [name, sub] = path.split('.');
    const value = resource[name] ?? extension[name];
    const compared = sub === undefined ? value : (value as Complex | undefined)?.[sub];
    return typeof compared === 'string' ? [matchKey({ path, value: compared })] : [];
  });
  const emails = (resource.emails ?? []) as Complex[];
  for (const { value, type } of emails) {
    if (typeof value !== 'string') continue;
    keys.push(matchKey({ path: 'emails.value', value }));
    if (typeof type === 'string') keys.push(matchKey({ path: 'emails.value', value, type }));
  }
  return [...new Set(keys)];
}

/** The key of a comparison with `eq`: a hash, because a value may be too long for an index. */
export function matchKey({ path, value, type }: Pick<Comparison, 'path' | 'value' | 'type'>): string {
  const text = JSON.stringify([path, type?.toLowerCase() ?? null, comparable(path, String(value))]);
  return hash('sha256', text, 'base64url').slice(0, 22);
}

/** Addresses are compared in the same form as the emails of users. */
function comparable(path: string, value: string): string {
  if (path === 'emails.value') return emailKey(value.trim());
  const { attribute, sub } = resolve(USER, path)!;
  return (sub ?? attribute)!.caseExact ? value : value.toLowerCase();
}
