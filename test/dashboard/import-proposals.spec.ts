import { proposeKey, proposeTargets } from '../../csv/proposals';
import { clashOf, MAX_KEYS } from '../../csv/targets';
import { SAMPLE } from '../../dashboard/users/import/sample';
import { faultsOf, withChoice } from '../../dashboard/users/import/targets';
import { recognitionOf, sizeOf } from '../../dashboard/users/import/words';
import { MAX_KEYS as MAX_KEYS_OF_USERS } from '../../src/users/user/metadata.check';
import { ROLES, WRITABLE_FIELDS } from '../../src/users/user/user.entity';

/** What columns become by their headers alone. */
const byHeader = (...headers: string[]) => proposeTargets(headers, []);

/** What one column becomes by its header and its values. */
const byValues = (header: string, ...values: string[]) =>
  proposeTargets(
    [header],
    values.map((value) => [value]),
  )[0];

describe('what an import proposes for a column', () => {
  it('follows from common spellings of its header', () => {
    const rows: Record<string, string[]> = {
      name: ['Full name', 'NAME', 'full_name', 'Display Name', 'Employee name'],
      email: ['Email', 'E-Mail', 'e_mail', 'Work email', 'Email address', 'WORK E-MAIL ADDRESS', 'Mail'],
      externalId: [
        'External ID',
        'external_id',
        'Employee ID',
        'Employee no',
        'Employee No.',
        'Personnel number',
        'Staff-ID',
      ],
      role: ['Role', ' role '],
      active: ['Active', 'is_active'],
      metadata: ['Metadata'],
      'metadata.department': ['Department', 'Dept.', 'DEPARTMENT NAME'],
      'metadata.title': ['Job title', 'Title'],
      'metadata.startDate': ['Start date', 'Hire Date', 'start_date'],
      'metadata.costCenter': ['Cost centre', 'CostCenter'],
      'metadata.a.B': ['Metadata.a.B', ' metadata.a.B '],
    };
    for (const [target, headers] of Object.entries(rows))
      for (const header of headers) expect([header, ...byHeader(header)]).toEqual([header, target]);
    for (const header of [
      'First name',
      'Surname',
      'Given name',
      'id',
      'version',
      'createdAt',
      'directory',
      'Notes',
      '',
    ])
      expect([header, ...byHeader(header)]).toEqual([header, undefined]);
  });

  it('is every field that a caller can set, by its name, and the role by every role', () => {
    for (const field of WRITABLE_FIELDS) expect(byHeader(field)).toEqual([field]);
    expect(byValues('Role', ...ROLES)).toBe('role');
  });

  it('is nothing for the second column of a meaning; the plainest header comes first', () => {
    expect(byHeader('Work email', 'Email', 'E-mail')).toEqual([undefined, 'email', undefined]);
    expect(byHeader('Employee name', 'Full name', 'Department', 'Dept')).toEqual([
      undefined,
      'name',
      'metadata.department',
      undefined,
    ]);
  });

  it('is no key beside a column with all metadata, and none that a user cannot have', () => {
    expect(byHeader('Department', 'metadata', 'metadata.x')).toEqual([undefined, 'metadata', undefined]);
    expect(byHeader('metadata.__proto__', 'metadata.', 'metadata.constructor')).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is the email if nine of ten values have an @ and no header says so', () => {
    const emails = Array.from({ length: 9 }, (_, n) => `u${n}@example.com`);
    expect(byValues('Contact', ...emails, 'none', '', ' ')).toBe('email');
    expect(byValues('Contact', ...emails.slice(1), 'none')).toBeUndefined();
    expect(byValues('Contact', '', ' ')).toBeUndefined();
    expect(byValues('Manager', ...emails)).toBe('metadata.manager');
    const rows = emails.map((email) => [email, email, 'x']);
    expect(proposeTargets(['Login', 'Mail', 'Name'], rows)).toEqual([undefined, 'email', 'name']);
    expect(proposeTargets(['Login', 'Other', 'Name'], rows)).toEqual(['email', undefined, 'name']);
  });

  it('is a role or a state only if nine of ten values are ones', () => {
    expect(byValues('Role', 'Admin', 'member ', '', 'VIEWER')).toBe('role');
    expect(byValues('Role', 'Engineer', 'admin')).toBeUndefined();
    expect(byValues('Active', 'TRUE', 'false')).toBe('active');
    expect(byValues('Active', 'yes', 'no')).toBeUndefined();
  });

  it('never has two columns for the same', () => {
    const headers = [
      'Email',
      'Work email',
      'Name',
      'Full name',
      'Dept',
      'Department',
      'metadata.department',
      'x',
    ];
    expect(clashOf(proposeTargets(headers, [headers.map(() => 'a@b')]))).toBeUndefined();
    expect(clashOf(proposeTargets([...headers, 'metadata'], []))).toBeUndefined();
  });
});

it('a key of the metadata is named after the header', () => {
  for (const [header, key] of [
    ['Start date', 'startDate'],
    ['start_date', 'startDate'],
    ['START-DATE', 'startDate'],
    ['Hire date', 'startDate'],
    ['startOfWork', 'startOfWork'],
    ['Car (own?)', 'carOwn'],
    ['Straße Nr. 2', 'straßeNr2'],
    ['Büro', 'büro'],
    ['Work email', 'workEmail'],
    ['metadata.a.B', 'a.B'],
    ['%', ''],
    ['x'.repeat(80), 'x'.repeat(64)],
  ])
    expect([header, proposeKey(header)]).toEqual([header, key]);
});

describe('the choices of a person', () => {
  const header = ['Name', 'Phone', 'phone', 'Metadata'];

  it('give a field to one column, and different keys to different columns', () => {
    const one = withChoice(['name', undefined, undefined, undefined], 1, 'name', header);
    expect(one).toEqual([undefined, 'name', undefined, undefined]);
    const keys = withChoice(withChoice(one, 1, 'key', header), 2, 'key', header);
    expect(keys).toEqual([undefined, 'metadata.phone', 'metadata.phone2', undefined]);
    expect(faultsOf(keys, header)).toEqual([undefined, undefined, undefined, undefined]);
    expect(withChoice(keys, 1, '', header)[1]).toBeUndefined();
  });

  it('are refused if two exclude each other, or if no user can have a key', () => {
    expect(faultsOf(['name', 'metadata.a', 'metadata.a', undefined], header)).toEqual([
      undefined,
      undefined,
      'The column “Phone” already has this key.',
      undefined,
    ]);
    expect(faultsOf([undefined, 'metadata.a', undefined, 'metadata'], header)[1]).toBe(
      'The column “Metadata” replaces all metadata: leave out one of the two.',
    );
    expect(faultsOf(['metadata.', 'metadata.__proto__'], header)).toEqual([
      'The key must not be empty.',
      'The key is not allowed as a key.',
    ]);
  });

  it('are refused beyond as many keys as a user can have, at the columns that are too many', () => {
    expect(MAX_KEYS).toBe(MAX_KEYS_OF_USERS);
    const targets = Array.from({ length: MAX_KEYS + 2 }, (_, n) => `metadata.k${n}`);
    const faults = faultsOf(['email', ...targets], ['Email', ...targets]);
    expect(faults.slice(0, MAX_KEYS + 1).some(Boolean)).toBe(false);
    const fault = 'A user has at most 16 metadata keys: leave this one out, or another.';
    expect(faults.slice(MAX_KEYS + 1)).toEqual([fault, fault]);
  });
});

it('what was recognized is said in words, and how, if a name did not say it', () => {
  const said = (headers: string[], ...rows: string[][]) =>
    recognitionOf(headers, proposeTargets(headers, rows));
  expect(said(['x', 'y'])).toBe('No column was recognized. Choose what each of them becomes.');
  expect(said(['Email'])).toBe('The column was recognized.');
  expect(said(['Email', 'Name'])).toBe('All 2 columns were recognized.');
  expect(said(['Contact', 'x', 'y'], ['a@example.com'])).toBe(
    '1 of 3 columns was recognized, “Contact” by the values. What is left out is not imported.',
  );
  const [header, ...rows] = SAMPLE.trimEnd()
    .split('\n')
    .map((line) => line.split(','));
  expect(said(header, ...rows)).toBe('All 6 columns were recognized.');
});

it('the size of a file is said as people say it', () => {
  expect([0, 999, 1_000, 12_345, 1_260_000, 5e9].map(sizeOf)).toEqual([
    '0 bytes',
    '999 bytes',
    '1.0 KB',
    '12 KB',
    '1.3 MB',
    '5.0 GB',
  ]);
});
