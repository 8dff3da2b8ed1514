import { Readable } from 'node:stream';
import { parseMapping } from '../../src/entry/cli/import/columns';
import { type CsvOptions, readCsv } from '../../src/entry/cli/import/csv-file';

/** What the rows of a file become. */
async function inputs(text: string, options?: CsvOptions): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { input } of readCsv(Readable.from([Buffer.from(text)]), options).rows) found.push(input);
  return found;
}

/** The options with these values of `--map`. */
const map = (...values: string[]): CsvOptions => ({
  map: values.reduce<ReturnType<typeof parseMapping>>((earlier, value) => parseMapping(value, earlier), []),
});

describe('a column metadata.<key>', () => {
  it('is the text of its cells as it stands, and an empty cell leaves the key out', async () => {
    const text =
      'email, Metadata.Dept ,METADATA.a.b,metadata. c\n' +
      'a@x.com, Sales ,007,true\nb@x.com,,"{""a"":1}",\nc@x.com,,,\nd@x.com,=1+1, ,null\n';
    expect(await inputs(text)).toEqual([
      { email: 'a@x.com', metadata: { Dept: ' Sales ', 'a.b': '007', ' c': 'true' } },
      { email: 'b@x.com', metadata: { 'a.b': '{"a":1}' } },
      { email: 'c@x.com' },
      { email: 'd@x.com', metadata: { Dept: '=1+1', 'a.b': ' ', ' c': 'null' } },
    ]);
  });

  it('may have its delimiter found by that name', async () => {
    expect(await inputs('x, y, z;metadata.dept;email\n1;HR;a@x.com\n', map('x, y, z='))).toEqual([
      { metadata: { dept: 'HR' }, email: 'a@x.com' },
    ]);
  });

  it('is refused before the first row beside the metadata, twice, or with a key that no user can have', async () => {
    const rows: [header: string, message: string][] = [
      [
        'metadata.a,Metadata',
        'The columns "metadata.a" and "Metadata" exclude each other: one has the metadata as a whole, one a key of it.',
      ],
      [
        'metadata.a,metadata.b,Metadata.a',
        'The columns "metadata.a" and "Metadata.a" both become metadata.a.',
      ],
      ['metadata.', 'The key of the column "metadata." must not be empty.'],
      ['metadata.__proto__', 'The key of the column "metadata.__proto__" is not allowed as a key.'],
      ['metadata.constructor', 'is not allowed as a key.'],
      [`metadata.${'é'.repeat(65)}`, 'must have at most 64 characters.'],
    ];
    for (const [header, message] of rows)
      await expect(inputs(`email,${header}\na@x.com,1\n`)).rejects.toThrow(message);
    expect(await inputs(`email,metadata.a,metadata.A,metadata.${'😀'.repeat(64)}\na@x.com,1,2,3\n`)).toEqual([
      { email: 'a@x.com', metadata: { a: '1', A: '2', ['😀'.repeat(64)]: '3' } },
    ]);
  });
});

describe('--map', () => {
  it('says what columns become, whatever their letter case and the spaces around them', async () => {
    const text =
      '\ufeffPersonnel no.;"Full name";Work Email;Department; Notes ;Rate=%;Email\r\n' +
      '0815;"Müller; Änne";aenne@x.com;Vertrieb;secret;5;private@x.com\r\n';
    const options = map(
      'personnel NO.=ExternalId',
      'Full name=name',
      ' Work Email = email ',
      'Department=metadata.department',
      'Notes=',
      'Rate=%=Metadata.rate',
      'email= ',
    );
    expect(await inputs(text, options)).toEqual([
      {
        externalId: '0815',
        name: 'Müller; Änne',
        email: 'aenne@x.com',
        metadata: { department: 'Vertrieb', rate: '5' },
      },
    ]);
  });

  it('goes together with --ignore-columns, but for the same column', async () => {
    const text = 'Mail,Phone,Notes\na@x.com,1,2\n';
    const options = { ...map('Mail=email', 'notes='), ignoreColumns: 'Phone' };
    expect(await inputs(text, options)).toEqual([{ email: 'a@x.com' }]);
    await expect(inputs(text, { ...options, ignoreColumns: 'Phone,Notes' })).rejects.toThrow(
      '--map and --ignore-columns both name the column "notes".',
    );
  });

  it('is refused before the first row if a column is not there, or if two become the same', async () => {
    const rows: [header: string, maps: string[], message: string][] = [
      ['email,Dept', ['Department=name'], 'There is no column "Department", which --map names.'],
      [
        'email,Work email',
        ['Work email=email'],
        'The columns "email" and "Work email" both become email. Leave one out with --map, as in "Work email=".',
      ],
      ['a,b,email', ['a=metadata.x', 'b=METADATA.x'], 'The columns "a" and "b" both become metadata.x.'],
      ['a,b,email', ['a=metadata.x', 'b=metadata'], 'The columns "a" and "b" exclude each other'],
      ['mail,mail', ['mail=email'], 'The columns "mail" and "mail" both become email.'],
      ['email,name', ['email='], 'The column email is missing'],
    ];
    for (const [header, maps, message] of rows)
      await expect(inputs(`${header}\na@x.com,1\n`, map(...maps))).rejects.toThrow(message);
  });

  it('must name a column once, and what it becomes', () => {
    for (const [values, message] of [
      [['Work email'], 'It must be <column>=<field>, such as "Work email=email".'],
      [['Work email=mail'], 'After the equals sign it must have externalId, name, email, '],
      [['Nr=id'], 'After the equals sign it must have externalId, name, email, '],
      [['Dept=metadata.'], 'The key of the metadata must not be empty.'],
      [['Dept=metadata.__proto__'], 'The key of the metadata is not allowed as a key.'],
      [['Mail=email', ' mail =name'], 'An earlier --map names the same column.'],
    ] as const)
      expect(() => map(...values)).toThrow(message);
  });
});

it('unknown columns are refused with options that import them, or leave them out', async () => {
  const header = 'Employee no;Full name;"E-Mail";Department;Start date;Car, "own"';
  const failure = await inputs(`${header}\n1;2;3;4;5;6\n`).catch(({ message }: Error) => message);
  expect(failure).toContain('The column email is missing; the first line has "Employee no", "Full name", ');
  expect(failure).toContain(
    'To import them, use --map "Employee no=externalId" --map "Full name=name" --map "E-Mail=email" ' +
      '--map "Department=metadata.department" --map "Start date=metadata.startDate" ' +
      `--map 'Car, "own"=metadata.carOwn'. To leave them out, use --ignore-columns `,
  );
  const one =
    'Unknown column: "Work email". To import it, use --map "Work email=metadata.workEmail". To leave it out';
  await expect(inputs('email,Work email\n')).rejects.toThrow(one);
});

describe('the options that a message proposes', () => {
  const advised = async (header: string, options: CsvOptions = {}) => {
    const message: string = await inputs(`${header}\n`, options).then(
      String,
      (error: Error) => error.message,
    );
    const [, importing, leavingOut] = /use (--map .*)\. To leave \w+ out, use (.*?)\. Columns/.exec(message)!;
    const values = [...importing.matchAll(/--map "([^"]*)"/g)].map(([, value]) => value);
    return { values, leavingOut };
  };
  const columns = (count: number) => Array.from({ length: count }, (_, n) => `C${n}`);

  it('name each unknown column of a wide file, and import as many as metadata has keys', async () => {
    const wide = ['externalId', 'name', 'email', 'role', 'active', 'id', 'version', 'createdAt', 'updatedAt'];
    const { values, leavingOut } = await advised([...wide, 'Directory', 'Desk', 'Car'].join());
    expect(values).toEqual(['Desk=metadata.desk', 'Car=metadata.car']);
    expect(leavingOut).toBe('--ignore-columns "Desk,Car"');

    const header = ['email', 'metadata.a', ...columns(20)].join();
    const many = await advised(header);
    expect(many.values).toEqual(columns(20).map((name, n) => `${name}=${n < 15 ? `metadata.c${n}` : ''}`));
    expect(await inputs(`${header}\na@x.com,1,2${',3'.repeat(19)}\n`, map(...many.values))).toMatchObject([
      { metadata: { a: '1', c0: '2', c14: '3' } },
    ]);
  });

  it('do not clash with each other, or with what other columns are', async () => {
    for (const [header, proposed, options] of [
      ['email,Dept,Department', ['Dept=', 'Department=metadata.department']],
      ['email,Desk no,Desk No.', ['Desk no=metadata.deskNo', 'Desk No.=']],
      ['Login,E-Mail', ['E-Mail='], map('Login=email')],
      ['email,metadata,Desk', ['Desk=']],
    ] as const) {
      const { values } = await advised(header, options);
      expect({ header, values }).toEqual({ header, values: proposed });
      const all = { map: [...(options?.map ?? []), ...(map(...values).map ?? [])] };
      expect(await inputs(`${header}\na@x.com\n`, all)).toEqual([{}]);
    }
  });
});
