import { PassThrough, Readable } from 'node:stream';
import fc from 'fast-check';
import { parse, unparse } from 'papaparse';
import { type CsvOptions, readCsv } from '../../src/entry/cli/import/csv-file';
import type { ImportFile, ImportRow } from '../../src/entry/cli/import/import-file';
import { readNdjson } from '../../src/entry/cli/import/ndjson-file';
import { runImport } from '../../src/entry/cli/import/run-import';
import { collector } from '../support/process';

/** A stream of chunks of the given size, which may end inside a character or a line break. */
const streamOf = (content: string | Buffer, chunkSize = 64 * 1024) => {
  const bytes = Buffer.from(content);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, n) =>
    bytes.subarray(n * chunkSize, (n + 1) * chunkSize),
  );
  return Readable.from(chunks, { objectMode: false });
};

const csv = (content: string | Buffer, options?: CsvOptions, chunkSize?: number) =>
  readCsv(streamOf(content, chunkSize), options);

async function rowsOf(file: ImportFile): Promise<ImportRow[]> {
  const rows: ImportRow[] = [];
  for await (const row of file.rows) rows.push(row);
  return rows;
}

/** What an import learns from rows. */
const contents = (rows: ImportRow[]) => rows.map(({ input, faults }) => ({ input, faults }));

/** The file of refused rows if an import refuses all rows. */
async function refusedFile(file: ImportFile, reason = 'line 7: name is "bad"'): Promise<Buffer> {
  const rows = await rowsOf(file);
  return Buffer.concat(
    [file.refusedHeader?.() ?? '', ...rows.map((row) => row.refused(reason))].map(Buffer.from),
  );
}

const inputs = async (content: string | Buffer, options?: CsvOptions) =>
  (await rowsOf(csv(content, options))).map(({ input }) => input);

describe('a CSV file', () => {
  const ada = { name: 'Ada', email: 'ada@x.com' };

  it('has true or false as text in any case, and a blank cell is absent', async () => {
    const cells = ['true', 'FALSE', ' True ', '""', ' ', 'yes', '1'];
    const text = `email,active\n${cells.map((cell) => `a@x.com,${cell}\n`).join('')}`;
    const values = (await inputs(text)).map((input) => (input as { active?: unknown }).active);
    expect(values).toEqual([true, false, true, undefined, undefined, 'yes', '1']);
  });

  it('has the delimiter that its header or the option tells', async () => {
    const rows: [string, CsvOptions?][] = [
      ...[',', ';', '\t'].map((delimiter): [string] => [
        'name,email,metadata\nAda,ada@x.com,\n'.replaceAll(',', delimiter),
      ]),
      [
        '"name, of; the\tuser\n, , ,";email;name\n1;ada@x.com;Ada\n',
        { ignoreColumns: '"name, of; the\tuser\n, , ,"' },
      ],
      ['email;name, first, last, all\nada@x.com;1\n', { ignoreColumns: '"name, first, last, all"' }],
      ['email\nada@x.com\n'],
      ['\n;;\n;\nemail;name\nada@x.com;Ada\n'],
      ['sep=;\r\nname, of;email\r\nAda;ada@x.com\r\n', { ignoreColumns: '"name, of"' }],
      ['\ufeff"sep=|"\nemail|name\nada@x.com|Ada\n'],
      ['"e""mail"|email\n1|ada@x.com\n', { delimiter: '|', ignoreColumns: 'e"mail' }],
    ];
    for (const [text, options] of rows)
      for (const chunkSize of [2, 1000]) {
        const [{ input }] = await rowsOf(csv(text, options, chunkSize));
        expect({ text, input }).toMatchObject({ text, input: { email: 'ada@x.com' } });
      }
  });

  it('has columns in any letter case, with spaces around them, and maybe empty ones at the end', async () => {
    const text = '\ufeff EMAIL ,Name,createdat,,\r\nada@x.com,Ada,2020,,\r\n';
    expect(await inputs(text)).toEqual([{ ...ada, createdAt: '2020' }]);
    await expect(inputs('email,Email\n')).rejects.toThrow(
      'The columns "email" and "Email" both become email.',
    );
  });

  it('is refused for an unknown column, unless it is to be ignored', async () => {
    const text = 'email,"Phone, home",City,name\nada@x.com,1,Rome,Ada\n';
    const hint = `use --ignore-columns '"Phone, home",City'.`;
    await expect(inputs(text)).rejects.toThrow(hint);
    expect(await inputs(text, { ignoreColumns: '"Phone, home",City' })).toEqual([ada]);
    expect(await inputs(text, { ignoreColumns: 'CITY , name ,"phone, Home",other' })).toEqual([
      { email: 'ada@x.com' },
    ]);
    await expect(inputs(text, { ignoreColumns: '"City' })).rejects.toThrow(
      '--ignore-columns must be a row of CSV',
    );
    await expect(inputs(',email\n')).rejects.toThrow('use --ignore-columns ""');
    expect(await inputs(',email\n1,a@x.com\n', { ignoreColumns: '' })).toEqual([{ email: 'a@x.com' }]);
  });

  it('may have rows whose cells are all empty, which do not count', async () => {
    const text = ',,\nemail,name,role\n,,\nada@x.com,Ada,\n\n" ",,\n,\n,,,,,\n';
    expect(await inputs(text)).toEqual([ada]);
    expect(await inputs('email,name,refused_because\n,,line 2: name is required\n')).toEqual([]);
    await expect(inputs(',,\n\n')).rejects.toThrow('The file is empty.');
  });

  it('has the line where a row begins, whatever the line breaks in it', async () => {
    const text = '\nemail,"na\r\nme"\n\r\na@x.com,"x\r\ny\n"\r\nb@x.com,\n,\nc@x.com,""\n';
    const rows = await rowsOf(csv(text, { ignoreColumns: '"na\r\nme"' }));
    expect(rows.map(({ line }) => line)).toEqual([5, 8, 10]);
  });

  it('whose quote is never closed, or whose row is endless, names the line where that begins', async () => {
    for (const [text, line] of [
      ['email,name\na@x.com,A\nb@x.com,"B\nc@x.com,C\n', 3],
      ['email,name\n\n"a\n@x.com","A\nc@x.com,C\n', 4],
      ['email,"name\na@x.com,A\n', 1],
      ['email;"name\na@x.com;A\n', 1],
      [`email,name\n${'a@x.com,A\n'.repeat(5000)}b@x.com,"B\nc@x.com,C\n`, 5002],
    ] as const)
      await expect(inputs(text)).rejects.toThrow(`The quote that opens at line ${line} is never closed.`);
    const endless = `email,name\n\na@x.com,"A\nB"\nb@x.com,"${'x\n'.repeat(100_000)}`;
    await expect(inputs(endless)).rejects.toThrow('The row at line 5 exceeds 128 KB, or a quoted cell in it');
  });

  it('that waits for more ends when its source is destroyed', async () => {
    for (const text of ['name;', 'name;email\n']) {
      const source = new PassThrough();
      source.write(text);
      const rows = rowsOf(readCsv(source));
      setImmediate(() => source.destroy());
      await expect(rows).rejects.toThrow('Premature close');
    }
  });

  it('has a column "reason" of its own like any other that is unknown', async () => {
    await expect(inputs('email,reason\na@x.com,mine\n')).rejects.toThrow('Unknown column: "reason".');
    const [row] = await rowsOf(readNdjson(streamOf('{"reason":"mine"}\n')));
    expect(row.input).toEqual({ reason: 'mine' });
  });

  it('that is not UTF-8 is refused', async () => {
    await expect(inputs(Buffer.from('email,name\na@x.com,Jürgen\n', 'latin1'))).rejects.toThrow('not UTF-8');
  });
});

it('an apostrophe before a formula is removed, and no other', async () => {
  const cells = ["'-Foo", "''-Foo", "'Foo", "''Foo", "Foo'-", " '-Foo", "'"];
  const names = (await inputs(`email,name\n${cells.map((cell) => `a@x.com,${cell}\n`).join('')}`)).map(
    (input) => (input as { name?: string }).name,
  );
  expect(names).toEqual(['-Foo', "'-Foo", "'Foo", "''Foo", "Foo'-", " '-Foo", "'"]);
  const options = { ignoreColumns: "'=Sum,'Tis" };
  expect(await inputs("email,'=Sum,'Tis\na@x.com,1,2\n", options)).toEqual([{ email: 'a@x.com' }]);
  await expect(inputs('email,=Sum\n')).rejects.toThrow(`use --ignore-columns "'=Sum".`);
  expect(await inputs('email,=Sum\na@x.com,1\n', options)).toEqual([{ email: 'a@x.com' }]);
});

describe('a CSV file of refused rows', () => {
  const hostile = fc.oneof(
    fc.constantFrom(...'"\'=＝@-\t\r\n😀,;|\0é\u2028\ufeff '),
    fc.constantFrom(
      '',
      '""',
      "''=",
      '=1+1',
      '\r\n',
      '"\n',
      '",;\t',
      '{"a":1}',
      'refused_because',
      'a"b',
      '"a"b',
    ),
    fc.string({ unit: 'binary', maxLength: 6 }).map((text) => text.toWellFormed()),
  );
  const cell = fc.array(hostile, { maxLength: 4 }).map((parts) => parts.join(''));
  const delimiter = fc.constantFrom(',', ';', '\t');
  const NAMES = [' role', 'Active', 'METADATA', 'createdAt', 'Phone, or "fax"', '=Sum', "'=x", 'a\nb', 'ID'];
  const header = fc.shuffledSubarray(NAMES);
  const options = { ignoreColumns: '"Phone, or ""fax""",=Sum,=x,"a\nb"' };

  it('has the columns and delimiter of its input, and imports as the same rows, whatever their cells', async () => {
    const file = fc.record({
      delimiter,
      names: header.map((names) => ['Email', 'Name', ...names]),
      rows: fc.array(fc.array(cell, { minLength: 1, maxLength: 9 }), { maxLength: 5 }),
      bom: fc.boolean(),
      chunkSize: fc.integer({ min: 1, max: 70 }),
    });
    await fc.assert(
      fc.asyncProperty(file, async ({ delimiter, names, rows, bom, chunkSize }) => {
        const text = `${bom ? '\ufeff' : ''}${unparse([names, ...rows], { delimiter })}\r\n`;
        const original = await rowsOf(csv(text, options, chunkSize));
        const refused = await refusedFile(csv(text, options));

        const { data } = parse<string[]>(refused.toString(), { delimiter, newline: '\n' });
        const [first, ...others] = data;
        expect(first).toEqual(['refused_because', ...names.map((name) => name.replace(/^=/, "'="))]);
        expect(others.flat().filter((value: string) => /^[=+\-@\t\r\n＝＋－＠]/.test(value))).toEqual([]);
        expect(refused.subarray(0, 3).toString() === '\ufeff').toBe(bom);

        const again = await rowsOf(csv(refused, options, chunkSize));
        expect(contents(again)).toEqual(contents(original));
        expect(await refusedFile(csv(refused, options))).toEqual(refused);
      }),
      { numRuns: 200 },
    );
  });

  it('refuses a row that is too short or too long again until it is corrected', async () => {
    const refused = await refusedFile(csv('email,name,role\na@x.com\nb@x.com,B,,surplus,\n'), 'why');
    expect(refused.toString()).toBe('refused_because,email,name,role\nwhy,a@x.com\nwhy,b@x.com,B,,surplus\n');
    expect((await rowsOf(csv(refused))).map(({ faults }) => faults)).toMatchObject([
      [{ message: 'has 1 cell, but the header has 3' }],
      [{ message: 'has 4 cells, but the header has 3' }],
    ]);
    const corrected = refused
      .toString()
      .replace('surplus', '')
      .replace('a@x.com', '$&,,')
      .replace(/\n/, '$&,,,,\n');
    expect(await inputs(corrected)).toEqual([{ email: 'a@x.com' }, { email: 'b@x.com', name: 'B' }]);
  });

  it('imports wherever the reason is, also in rows without one', async () => {
    const expected = [
      { email: 'a@x.com', name: 'A' },
      { email: 'b@x.com', name: 'B' },
    ];
    expect(await inputs('Refused_Because,email,name\nwhy,a@x.com,A\n,b@x.com,B\n')).toEqual(expected);
    expect(await inputs('email,name,refused_because\na@x.com,A,why\nb@x.com,B\n')).toEqual(expected);
  });
});

describe('an NDJSON file of refused rows', () => {
  const imported = async (text: string | Buffer) => contents(await rowsOf(readNdjson(streamOf(text, 7))));

  it('imports as the same rows, whatever the lines', async () => {
    const json = fc.json({ maxDepth: 2, stringUnit: 'binary' });
    const key = fc.oneof(
      fc.constantFrom(
        'refused_because',
        'name',
        '__proto__',
        'a,"refused_because":"b',
        '"refused_because":"',
        '{',
      ),
      fc.string(),
    );
    const object = fc
      .array(fc.tuple(key, json), { maxLength: 4 })
      .map(
        (entries) =>
          `{ ${entries.map(([name, value]) => `${JSON.stringify(name)} : ${value}`).join(' , ')} }`,
      );
    const broken = fc.string().map((text) => text.replaceAll('\n', '').toWellFormed());
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(object, json, broken), { maxLength: 6 }), async (lines) => {
        const text = lines.join('\n');
        const refused = await refusedFile(readNdjson(streamOf(text)));
        const isEmpty = ({ input }: { input?: unknown }) => JSON.stringify(input) === '{}';
        expect(await imported(refused)).toEqual((await imported(text)).filter((row) => !isEmpty(row)));
        expect(await refusedFile(readNdjson(streamOf(refused)))).toEqual(
          await refusedFile(readNdjson(streamOf(await refusedFile(readNdjson(streamOf(refused)))))),
        );
      }),
      { numRuns: 200 },
    );
  });

  it('keeps the text of an object, and replaces only its reason', async () => {
    const text =
      '{"name": "\\u00e9", "n": 9007199254740993, "refused_because": "line 1: \\"old\\"" }\r\n{"metadata":{"refused_because":"x"}}\n';
    expect((await refusedFile(readNdjson(streamOf(text)), 'new "one"')).toString()).toBe(
      '{"name": "\\u00e9", "n": 9007199254740993,"refused_because":"new \\"one\\""}\n{"metadata":{"refused_because":"x"},"refused_because":"new \\"one\\""}\n',
    );
  });

  it('keeps a line that is not an object, byte by byte, below its reason', async () => {
    const lines = [
      '{"name": ',
      '[1]',
      '7',
      Buffer.from('{"name":"Jürgen"}', 'latin1'),
      `{"name":"${'x'.repeat(70_000)}"}`,
    ];
    const text = Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')]));
    const refused = await refusedFile(readNdjson(streamOf(text)), 'why');
    const expected = lines.flatMap((line) => [
      Buffer.from('{"refused_because":"why"}\n'),
      Buffer.from(line),
      Buffer.from('\n'),
    ]);
    expect(refused.equals(Buffer.concat(expected))).toBe(true);
    expect((await rowsOf(readNdjson(streamOf(refused)))).map(({ line }) => line)).toEqual([2, 4, 6, 8, 10]);
  });

  it('is not for a line of a megabyte, which stops the import', async () => {
    const text = `{}\n["${'x'.repeat(1_100_000)}"]\n`;
    await expect(rowsOf(readNdjson(streamOf(text)))).rejects.toThrow('Line 2 exceeds 1 MB.');
  });
});

describe('the report of an import', () => {
  it('counts one row, and names no file of refused rows if none could be written', async () => {
    const [stdout, stderr] = [collector(), collector()];
    await runImport(
      { env: {}, stdin: Readable.from([]), stdout, stderr },
      {
        file: csv('email\na@x.com,A\n'),
        add: () => Promise.reject(new Error('No row can be read.')),
        refusedFile: '/no/such/directory/refused.csv',
        dryRun: false,
        done: () => 0,
        stop: () => {},
      },
      {},
    );
    const [summary, report] = [stdout.text(), stderr.text()];
    expect(summary).toMatch(/^1 row in [\d.]+ s: 0 created/);
    expect(report).toContain('Refused:\n  line 2: row has 2 cells, but the header has 1\n');
    expect(report).not.toMatch(/null|All refused rows/);
  });
});
