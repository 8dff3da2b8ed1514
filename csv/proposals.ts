import { keyFault, keyInName, keyOfTarget, metadataTarget, type Target } from './targets';

/**
 * What a header means, in the form of `headerKey()`. Of several columns with one meaning, the one whose header comes
 * first here counts. First and last names mean nothing, because an import does not join columns.
 */
const HEADERS: Record<string, string> = {
  externalId:
    'externalid employeeid employeeno employeenumber personnelnumber personnelno personnelid staffid staffno ' +
    'staffnumber payrollid payrollnumber workerid',
  name: 'name fullname displayname employeename preferredname',
  email:
    'email workemail emailaddress workemailaddress businessemail companyemail corporateemail officeemail ' +
    'primaryemail emailwork mail mailaddress',
  role: 'role',
  active: 'active isactive',
  metadata: 'metadata',
  [metadataTarget('department')]: 'department departmentname dept',
  [metadataTarget('title')]: 'jobtitle title position',
  [metadataTarget('manager')]: 'manager managername linemanager reportsto supervisor',
  [metadataTarget('location')]: 'location worklocation office officelocation site',
  [metadataTarget('startDate')]: 'startdate hiredate dateofhire joiningdate joindate dateofjoining',
  [metadataTarget('phone')]: 'phone phonenumber workphone telephone',
  [metadataTarget('costCenter')]: 'costcenter costcentre',
  [metadataTarget('division')]: 'division',
  [metadataTarget('team')]: 'team',
  [metadataTarget('company')]: 'company',
};

/** What values look like if a header alone is not enough. A personnel file may have jobs in its column “Role”. */
const VALUES: Record<string, RegExp> = {
  role: /^(member|admin|viewer)$/i,
  active: /^(true|false)$/i,
};

const EMAIL = /@/;

/** Whether a file often has other values in a column of this name. */
export const isOftenOtherwise = (target: Target): boolean =>
  target !== undefined && Object.hasOwn(VALUES, target);

const MEANINGS = new Map(
  Object.entries(HEADERS).flatMap(([target, headers]) =>
    headers.split(' ').map((header, rank) => [header, { target, rank }] as const),
  ),
);

/** A header without spaces, signs, letter case and accents: “E-Mail” and “EMAIL” are the same. */
const headerKey = (header: string) =>
  header
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

function meaningOf(header: string): { target: string; rank: number } | undefined {
  const key = keyInName(header);
  return key === undefined ? MEANINGS.get(headerKey(header)) : { target: metadataTarget(key), rank: 0 };
}

/** What a header alone means. */
export const targetOfHeader = (header: string): Target => meaningOf(header)?.target;

/** What the columns of a file may become, by their headers and by their values in some rows. They never clash. */
export function proposeTargets(headers: readonly string[], rows: readonly (readonly string[])[]): Target[] {
  const valuesAt = (at: number) => rows.map((cells) => (cells[at] ?? '').trim()).filter(Boolean);
  const fits = (pattern: RegExp, values: string[]) =>
    values.filter((value) => pattern.test(value)).length >= 0.9 * values.length;
  const meanings = headers.map((header, at) => {
    const meaning = meaningOf(header);
    if (!meaning || keyFault(keyOfTarget(meaning.target) ?? 'key') !== undefined) return undefined;
    const isOther = isOftenOtherwise(meaning.target) && !fits(VALUES[meaning.target], valuesAt(at));
    return isOther ? undefined : { ...meaning, at };
  });
  const isWhole = meanings.some((meaning) => meaning?.target === 'metadata');
  const best = new Map<string, { rank: number; at: number }>();
  for (const meaning of meanings) {
    if (!meaning || (isWhole && keyOfTarget(meaning.target) !== undefined)) continue;
    if (meaning.rank < (best.get(meaning.target)?.rank ?? Infinity)) best.set(meaning.target, meaning);
  }
  if (!best.has('email')) {
    const isEmail = (at: number) => valuesAt(at).length > 0 && fits(EMAIL, valuesAt(at));
    const at = headers.findIndex((_header, at) => meanings[at] === undefined && isEmail(at));
    best.set('email', { rank: 0, at });
  }
  const targets = new Map([...best].map(([target, { at }]) => [at, target]));
  return headers.map((_header, at) => targets.get(at));
}

/** The key of the metadata that a header suggests: “Start date” gives `startDate`. */
export function proposeKey(header: string): string {
  const given = keyOfTarget(targetOfHeader(header));
  if (given !== undefined) return given;
  const words = (header.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map((word, i) => {
    const [first, ...rest] = word === word.toUpperCase() ? word.toLowerCase() : word;
    return (i === 0 ? first.toLowerCase() : first.toUpperCase()) + rest.join('');
  });
  return [...words.join('')].slice(0, 64).join('');
}
