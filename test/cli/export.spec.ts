/**
 * @only embedded postgres: it tests the commands; what is read are pages
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parse } from 'papaparse';
import fc from 'fast-check';
import { person } from '../../src/entry/demo/people';
import { ndjson, useJobs, writableFields } from '../support/jobs';
import { run } from '../support/process';

const { database, directory, path, file, newOrganization, job, importFile, exported } = useJobs();

describe('ums users export', () => {
  const name = fc
    .oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
      fc
        .tuple(fc.constantFrom(...`'=+-@"＝，,;\t\r\n`, "''", "'=", '"\r\n'), fc.string({ maxLength: 5 }))
        .map(([start, rest]) => `a${start}${rest}`.slice(fc.sample(fc.integer({ min: 0, max: 1 }), 1)[0])),
    )
    .filter((text) => text.trim() !== '' && text.isWellFormed() && !text.includes('\0'));

  it('writes CSV and NDJSON that import as the same users, and CSV without formulas', async () => {
    const organization = await newOrganization();
    const value = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.double({ noNaN: true, min: -1e15, max: 1e15 }),
      fc.constant(null),
    );
    const metadata = fc.dictionary(
      fc.stringMatching(/^[=+@'a-z0-9]{1,8}$/),
      fc.array(value, { maxLength: 2 }),
      { maxKeys: 4 },
    );
    const generated = fc.sample(fc.record({ name, metadata }), 300).map((fields, n) => ({
      ...JSON.parse(JSON.stringify(fields)), // -0 is 0 in JSON
      email: `${["'", '=', '+', '-', ''][n % 5]}u${n}@example.com`,
      role: (['member', 'admin', 'viewer'] as const)[n % 3],
      active: n % 2 === 0,
    }));
    const { summary } = await importFile(file('generated', ndjson(generated)), organization);
    expect(summary).toMatchObject({ created: generated.length, refused: 0 });
    const original = writableFields(await exported(organization));
    expect(original).toEqual(writableFields(generated.map((user) => ({ ...user, name: user.name.trim() }))));

    for (const output of [path('out.csv'), path('out.tsv'), path('out.ndjson')]) {
      const args = ['users', 'export', '--organization', organization, '--output', output];
      expect((await job(...args)).summary).toMatchObject({ users: generated.length, output });
      const other = await newOrganization();
      expect((await importFile(output, other)).code).toBe(0);
      const copy = await exported(other);
      expect(JSON.stringify(writableFields(copy))).toBe(JSON.stringify(original));
    }
    const parsed = (name: string) =>
      parse<string[]>(readFileSync(path(name), 'utf8'), { skipEmptyLines: true }).data;
    const cells = parsed('out.csv');
    expect(parsed('out.tsv')).toEqual(cells);
    expect(cells.flat().filter((cell) => /^[=+\-@\t\r\n＝＋－＠]/.test(cell))).toEqual([]);
    expect(cells.flat().filter((cell) => cell.startsWith("'="))).not.toEqual([]);
    expect(readdirSync(directory()).filter((entry) => entry.endsWith('.part'))).toEqual([]);
  });

  it('writes only users with a role or a state', async () => {
    const organization = await newOrganization();
    await job('seed', '--organization', organization, '--users', '100');
    const all = await exported(organization);
    const inactive = all.filter(({ active }) => !active);
    expect(inactive).toHaveLength(4);
    expect(await exported(organization, '--active', 'false')).toEqual(inactive);
    expect(await exported(organization, '--role', 'viewer', '--active', 'true')).toEqual(
      all.filter(({ role, active }) => role === 'viewer' && active),
    );
  });

  it('writes every user once, over many pages, ordered by id', async () => {
    const organization = await newOrganization();
    await job('seed', '--organization', organization, '--users', '2500');
    const ids = (await exported(organization)).map(({ id }) => id);
    expect(ids).toHaveLength(2500);
    expect(ids).toEqual([...new Set(ids)].sort());
  });

  it('fails when the disk is full and leaves no file that looks complete', async () => {
    if (!existsSync('/dev/full'))
      return void process.stderr.write('Skipped: /dev/full does not exist here.\n');
    const organization = await newOrganization();
    await job('seed', '--organization', organization, '--users', '10');
    const args = ['users', 'export', '--organization', organization, '--output', '/dev/full'];
    expect(await run(args, database().env)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^The export is incomplete: \/dev\/full was not created\. ENOSPC: no space left/,
      ),
    });
    const nowhere = [...args.slice(0, -1), path('no/such/directory')];
    expect(await run(nowhere, database().env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ENOENT'),
    });

    const bad = file('full.ndjson', ndjson([person(20), {}]));
    const importArgs = ['users', 'import', bad, '--organization', organization, '--refused', '/dev/full'];
    const stopped = await run(importArgs, database().env);
    expect(stopped).toMatchObject({ code: 1, stderr: expect.stringContaining('ENOSPC') });
    expect(stopped.stdout).toContain('1 created');
  });
});

it('sample users are the same in every organization and created once', async () => {
  const [one, other] = [await newOrganization(), await newOrganization()];
  for (const organization of [one, other]) {
    const { summary } = await job('seed', '--organization', organization, '--users', '50');
    expect(summary).toMatchObject({ created: 50 });
  }
  expect(writableFields(await exported(one))).toEqual(writableFields(await exported(other)));
  expect((await job('seed', '--organization', one, '--users', '60')).summary).toMatchObject({
    created: 10,
    unchanged: 50,
  });
});
