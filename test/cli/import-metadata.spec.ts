/**
 * @slow each command opens the database, which takes a server a tenth of the time
 * @only embedded postgres: it tests the commands; what is written are batches
 */
import { readFileSync } from 'node:fs';
import { copyOfTemplate } from '../support/database';
import { ndjson, useJobs } from '../support/jobs';
import { run } from '../support/process';

const { database, path, file, newOrganization, job, importFile, refusedIn, exported } = useJobs();

/** As a German spreadsheet saves the list of a personnel department. */
const STAFF =
  '\ufeffPersonnel no.;Full name;Work email;Department;Start date;Notes\r\n' +
  '0815;Änne Müller;aenne.mueller@example.com;"Vertrieb; Süd";01.03.2019;on leave\r\n' +
  '0816;"Jörg ""Joe"" Groß";joerg.gross@example.com;Einkauf;;\r\n';

const MAP = [
  ['Personnel no.', 'externalId'],
  ['Full name', 'name'],
  ['Work email', 'email'],
  ['Department', 'metadata.department'],
  ['Start date', 'metadata.startDate'],
  ['Notes', ''],
].flatMap(([column, target]) => ['--map', `${column}=${target}`]);

const upsert = ['--mode', 'upsert'];

describe('the columns of a personnel file', () => {
  it('become fields and keys of the metadata; the other keys of a user stay', async () => {
    const organization = await newOrganization();
    const known = {
      name: 'J',
      email: 'joerg.gross@example.com',
      metadata: { plan: 'pro', startDate: '2020' },
    };
    await importFile(file('known', ndjson([known])), organization);
    const staff = file('staff.csv', STAFF);
    const first = await importFile(staff, organization, ...MAP, ...upsert);
    expect(first.summary).toMatchObject({ created: 1, updated: 1, refused: 0 });
    const users = async () => (await exported(organization)).sort((a, b) => (a.email < b.email ? -1 : 1));
    expect(await users()).toMatchObject([
      {
        externalId: '0815',
        name: 'Änne Müller',
        metadata: { department: 'Vertrieb; Süd', startDate: '01.03.2019' },
      },
      {
        externalId: '0816',
        name: 'Jörg "Joe" Groß',
        metadata: { plan: 'pro', startDate: '2020', department: 'Einkauf' },
        version: 2,
      },
    ]);
    const before = await users();
    expect(before[0].metadata).not.toHaveProperty('notes');
    expect((await importFile(staff, organization, ...MAP, ...upsert)).summary).toMatchObject({
      unchanged: 2,
    });
    expect(await users()).toEqual(before);
  });

  it('are created without their empty cells, and refused with the limits of the service', async () => {
    const organization = await newOrganization();
    const keys = Array.from({ length: 17 }, (_, n) => `metadata.k${n}`);
    const cells = (filled: number) => keys.map((_key, n) => (n < filled ? `${n}` : '')).join();
    const wide = file(
      'wide.csv',
      `name,email,${keys.join()}\nA,a@example.com,${cells(16)}\nB,b@example.com,${cells(17)}\n` +
        `C,c@example.com,${cells(0)}\n`,
    );
    const { summary, stderr } = await importFile(wide, organization);
    expect(summary).toMatchObject({ created: 2, refused: 1 });
    expect(stderr).toContain('line 3, B: metadata must have at most 16 keys\n');
    const sizes = (await exported(organization)).map(({ metadata }) => Object.keys(metadata).length);
    expect(sizes.sort()).toEqual([0, 16]);
  });

  it('change nothing when an export of them is imported again, whatever the texts', async () => {
    const organization = await newOrganization();
    const texts = [
      '=1+1',
      "'=1",
      '+49 170 123',
      ' x ',
      '',
      'a;b,"c"\r\nd',
      "'Tis",
      '007',
      'true',
      '@x',
      '\t',
    ];
    const users = texts.map((text, n) => ({
      name: n % 2 ? `-N${n}` : `N${n}`,
      email: `${['', '+', '-', "'=", '='][n % 5]}u${n}@example.com`,
      metadata: { 'a.b': text, other: n, ...(n % 3 ? { team: `T${n}` } : {}) },
    }));
    expect((await importFile(file('texts', ndjson(users)), organization)).summary).toMatchObject({
      created: texts.length,
    });
    const before = await exported(organization);
    for (const [name, columns] of [
      ['some.csv', 'metadata.team, Name,email,METADATA.a.b,metadata.none'],
      ['some.tsv', 'metadata.team, Name,email,METADATA.a.b,metadata.none'],
      ['fields.csv', 'name,email'],
    ]) {
      const options = ['--organization', organization, '--output', path(name), '--columns', columns];
      expect((await job('users', 'export', ...options)).code).toBe(0);
      const again = await importFile(path(name), organization, ...upsert);
      expect(again).toMatchObject({ code: 0, summary: { unchanged: texts.length } });
    }
    expect(await exported(organization)).toEqual(before);
    const [header, ...rows] = readFileSync(path('some.csv'), 'utf8').split('\n');
    expect(header).toBe('metadata.team,name,email,metadata.a.b,metadata.none');
    expect(rows).toContain(",N0,u0@example.com,'=1+1,");
  });
});

describe('ums users export --columns', () => {
  it('has values that are no text as JSON, and nothing for an absent one', async () => {
    const organization = await newOrganization();
    const metadata = { n: 1.5, o: { a: [1] }, no: false, nil: null };
    await importFile(file('odd', ndjson([{ name: 'Ada', email: 'a@example.com', metadata }])), organization);
    const columns = 'externalId,metadata.n,metadata.o,metadata.no,metadata.nil,metadata.toString,active';
    const args = ['users', 'export', '--organization', organization, '--format', 'csv', '--columns', columns];
    const { stdout } = await run(args, database().env);
    expect(stdout).toBe(`${columns}\n,1.5,"{""a"":[1]}",false,null,,true\n`);
  });

  it('is refused before the first row if a column is unknown or named twice, or without CSV', async () => {
    const nowhere = { DATABASE_URL: 'postgres://127.0.0.1:1/none' };
    for (const [columns, message, ...more] of [
      ['name,mail', 'There is no column "mail". Columns are id, externalId, name, '],
      ['', 'There is no column "".'],
      ['name,email, NAME', 'It names the column "name" twice.'],
      ['metadata.a,Metadata.a', 'It names the column "metadata.a" twice.'],
      ['metadata.__proto__', 'The key of the column "metadata.__proto__" is not allowed as a key.'],
      ['metadata.', 'The key of the column "metadata." must not be empty.'],
      ['"name', 'It must be a row of CSV, with commas.'],
      ['name', '--columns is for CSV files. Add --format csv, or an --output that ends in .csv.'],
      ['name,directory', 'The column directory requires --include directory.', '--format', 'csv'],
      ['name', "'groups' is invalid. Allowed choices are directory.", '--include', 'groups'],
    ]) {
      const args = ['users', 'export', '--columns', columns, ...more];
      const { code, stdout, stderr } = await run(args, nowhere);
      expect({ columns, code, stdout }).toEqual({ columns, code: 1, stdout: '' });
      expect(stderr).toContain(message);
    }
  });
});

it('a refused row is shown with its line, its name or email, the field and the reason', async () => {
  const long = 'x'.repeat(100);
  const rows =
    'name,email,metadata,role\nAda,nobody,,\n,b@example.com,{,\n,,,root\n' +
    `${long},b@example.com,"{""plan"": 1,}",\n"\u001b[2J",x,,\n`;
  const { stderr } = await importFile(file('bad.csv', rows), await newOrganization());
  expect(stderr).toContain(
    '  line 2, Ada: email must be an email address\n' +
      '  line 3, b@example.com: metadata must be JSON\n' +
      '  line 4: name is required; email is required; role must be one of member, admin, viewer\n' +
      `  line 5, ${'x'.repeat(60)}: metadata must be JSON\n` +
      '  line 6, \\u001b[2J: email must be an email address\n',
  );
  expect(refusedIn('bad.refused.csv')).toContain('\nline 2: email must be an email address,Ada,nobody,,\n');
});

it('a column Role with jobs is refused with the option that leaves it out', async () => {
  const organization = await newOrganization();
  const jobs = file('jobs.csv', 'name,email,Role ,Active\nAda,a@example.com,Engineer,true\n');
  const { stderr } = await importFile(jobs, organization);
  expect(stderr).toContain(
    '  line 2, Ada: role must be one of member, admin, viewer\nTo leave out this column, use --map "Role=".\nAll',
  );
  const { summary } = await importFile(jobs, organization, '--map', 'Role=');
  expect(summary).toMatchObject({ created: 1, refused: 0 });
});

it('what an export has beside the fields is ignored, the directory too', async () => {
  const organization = await newOrganization();
  const [name, email] = ['Ada', 'a@example.com'];
  const directory = { title: 'Engineer' };
  const rows = file('directory', ndjson([{ id: 'usr_1', name, email, directory, version: 7 }]));
  expect((await importFile(rows, organization)).summary).toMatchObject({ created: 1 });
  const csv = file('directory.csv', 'id,name,email,Directory,updatedAt\nusr_1,Ada,a@example.com,"{}",2020\n');
  expect((await importFile(csv, organization, ...upsert)).summary).toMatchObject({ unchanged: 1 });
});

it('--map is for CSV files alone, and a file that it does not fit creates nobody', async () => {
  const organization = await newOrganization();
  const lines = file('lines', ndjson([{ name: 'Ada', email: 'a@example.com' }]));
  expect((await importFile(lines, organization, '--map', 'name=name')).stderr).toBe(
    '--delimiter, --map and --ignore-columns are for CSV files. If this is one, add --format csv.\n',
  );
  const two = file('two.csv', 'Name,email,Work email\nAda,a@example.com,b@example.com\n');
  const { code, stderr, summary } = await importFile(two, organization, '--map', 'Work email=email');
  expect({ code, summary }).toMatchObject({ code: 1, summary: { rows: 0, created: 0, complete: false } });
  expect(stderr).toContain('The columns "email" and "Work email" both become email.');
  expect(await exported(organization)).toEqual([]);
});

it('--organization may be absent where there is exactly one', async () => {
  const { env, drop } = await copyOfTemplate();
  const ums = (...args: string[]) => run(args, env);
  const row = file('one.csv', 'name,email\nAda,a@example.com\n');
  const commands = [
    ['users', 'import', row],
    ['users', 'export'],
    ['seed', '--users', '1'],
    ['tokens', 'create', '--name', 'CI', '--scopes', 'admin'],
    ['tokens', 'list'],
    ['groups', 'list'],
    ['webhooks', 'list'],
  ];
  const outcomes = async () => {
    const seen: string[] = [];
    for (const command of commands) {
      const { code, stderr } = await ums(...command);
      seen.push(`${code} ${code ? stderr : ''}`);
    }
    return new Set(seen);
  };
  const list = '--organization <id>, and list them with: ums organizations list\n';
  const none = 'There is no organization. Create one with: ums organizations create <name>\n';
  expect(await outcomes()).toEqual(new Set([`1 ${none}`]));
  await ums('organizations', 'create', 'One');
  expect(await outcomes()).toEqual(new Set(['0 ']));
  expect((await ums('users', 'export')).stdout).toContain('"email":"a@example.com"');
  await ums('organizations', 'create', 'Other');
  expect(await outcomes()).toEqual(new Set([`1 There are several organizations. Name one with ${list}`]));
  await drop();
});
