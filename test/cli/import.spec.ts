/**
 * @slow each command opens the database, which takes a server a tenth of the time
 * @only embedded postgres: it tests the command; what is written are batches
 */
import { chmodSync, statSync } from 'node:fs';
import { person } from '../../src/entry/demo/people';
import { describeOn } from '../support/engine';
import { ndjson, people, useJobs, writableFields } from '../support/jobs';
import { run } from '../support/process';

const { database, directory, path, file, newOrganization, importFile, refusedIn, exported, withService } =
  useJobs();

describe('ums users import', () => {
  it('creates users, without what the service sets, whom a search finds at once', async () => {
    const organization = await newOrganization();
    const ofService = { id: 'usr_x', createdAt: '2020', updatedAt: 1 };
    const rows = [
      { name: ' Grace Hopper ', email: 'grace@example.com' },
      { ...ofService, name: 'Ada', email: 'ada@example.com', role: 'admin', metadata: { team: 'engines' } },
    ];
    const { code, summary } = await importFile(file('two', ndjson(rows)), organization);
    expect(code).toBe(0);
    expect(summary).toMatchObject({ rows: 2, created: 2, refused: 0, refusedFile: null, complete: true });
    expect(writableFields(await exported(organization))).toEqual([
      { name: 'Ada', email: 'ada@example.com', role: 'admin', active: true, metadata: { team: 'engines' } },
      { name: 'Grace Hopper', email: 'grace@example.com', role: 'member', active: true, metadata: {} },
    ]);
    await withService(organization, async (api) => {
      const { data } = (await api.get('/api/v1/users/search?q=hoppre').expect(200)).body;
      expect(data).toMatchObject([{ id: expect.stringMatching(/^usr_\w{26}$/), name: 'Grace Hopper' }]);
    });
  });

  it('refuses rows for the reasons of the API, and names their lines', async () => {
    const organization = await newOrganization();
    const good = { name: 'Ada', email: 'ada@example.com' };
    const refused: [row: string, ...reasons: string[]][] = [
      ['{}', 'name is required', 'email is required'],
      [JSON.stringify({ ...good, role: 'root' }), 'role must be one of member, admin, viewer'],
      ['["Ada","a@example.com"]', 'row must be an object'],
      ['7', 'row must be an object'],
      ['{"name": "Ada"', 'row must be JSON in UTF-8'],
      [JSON.stringify({ ...good, name: 'x'.repeat(70_000) }), 'row must not exceed 64 KB'],
      [JSON.stringify(good), 'email is already used by another user of the organization'],
      [JSON.stringify({ ...good, name: 'B' }), 'email is already used by another user of the organization'],
    ];
    const rows = [JSON.stringify(good), '', ...refused.map(([row]) => row)];
    const bad = file('bad.ndjson', rows.map((row) => `${row}\n`).join(''));

    const { code, summary, stderr } = await importFile(bad, organization);

    expect({ code, summary }).toMatchObject({
      code: 1,
      summary: { created: 1, refused: 8, complete: true, refusedFile: path('bad.refused.ndjson') },
    });
    expect(stderr).toContain('  line 3: name is required; email is required\n');
    const reasons = refusedIn('bad.refused.ndjson').matchAll(/"refused_because":("line .*")\}$/gm);
    expect([...reasons].map(([, reason]) => JSON.parse(reason))).toEqual(
      refused.map(([, ...faults], i) => `line ${i + 3}: ${faults.join('; ')}`),
    );
  });

  it('reads CSV as spreadsheets write it', async () => {
    const organization = await newOrganization();
    const csv =
      '\ufeffemail,name,metadata,role\r\n' +
      'one@example.com,"Smith, ""Jo""","{""a"": ""x\\ny""}",viewer\r\n' +
      'two@example.com,5" Pipe,,\n' +
      '\r\n' +
      'three@example.com,Three,not json,\r\n' +
      'four@example.com,Four\r\n' +
      "five@example.com,'=cmd(),,\r\n" +
      "six@example.com,'Tis,,";
    const { code, summary } = await importFile(file('sheet.csv', csv), organization);
    expect({ code, summary }).toMatchObject({ code: 1, summary: { created: 4, refused: 2 } });
    expect(refusedIn('sheet.refused.csv')).toBe(
      '\ufeffrefused_because,email,name,metadata,role\n' +
        'line 5: metadata must be JSON,three@example.com,Three,not json,\n' +
        '"line 6: row has 2 cells, but the header has 4",four@example.com,Four\n',
    );
    expect(writableFields(await exported(organization))).toEqual([
      { name: '=cmd()', email: 'five@example.com', role: 'member', active: true, metadata: {} },
      {
        name: 'Smith, "Jo"',
        email: 'one@example.com',
        role: 'viewer',
        active: true,
        metadata: { a: 'x\ny' },
      },
      { name: "'Tis", email: 'six@example.com', role: 'member', active: true, metadata: {} },
      { name: '5" Pipe', email: 'two@example.com', role: 'member', active: true, metadata: {} },
    ]);
  });

  it('imports a corrected file of refused rows, in the format of its input', async () => {
    const organization = await newOrganization();
    const importNamed = (name: string, ...options: string[]) =>
      importFile(path(name), organization, ...options);

    file(
      'de.csv',
      '\ufeffName;E-Mail;EMAIL;Role\r\n=Ada;;ada@example.com;Admin\r\n;;;\r\nBo;x;bo@example.com;\r\n',
    );
    const options = ['--ignore-columns', 'e-mail'];
    expect((await importNamed('de.csv')).stderr).toContain('use --ignore-columns "E-Mail"');
    expect((await importNamed('de.csv', ...options)).summary).toMatchObject({
      rows: 2,
      created: 1,
      refused: 1,
    });
    const reason = 'line 2: role must be one of member, admin, viewer';
    expect(refusedIn('de.refused.csv')).toBe(
      `\ufeffrefused_because;Name;E-Mail;EMAIL;Role\n${reason};'=Ada;;ada@example.com;Admin\n`,
    );
    file('de.refused.csv', refusedIn('de.refused.csv').replace('Admin', 'admin'));
    expect((await importNamed('de.refused.csv', ...options)).summary).toMatchObject({
      created: 1,
      refused: 0,
    });

    file(
      'lines',
      '{"name":"Di","email":"di@example.com","role":"Viewer"}\n{"name":"Ed","email":"ed@example.com"',
    );
    expect((await importNamed('lines')).summary).toMatchObject({ refusedFile: path('lines.refused.ndjson') });
    const corrected = refusedIn('lines.refused.ndjson').replace('Viewer', 'viewer').replace(/\n$/, '}\n');
    file('lines.refused.ndjson', corrected);
    expect((await importNamed('lines.refused.ndjson')).summary).toMatchObject({ created: 2, refused: 0 });

    expect((await importNamed('lines', '--delimiter', 'tab')).stderr).toContain('are for CSV files');
    const names = (await exported(organization)).map(({ name, role }) => [name, role]).sort();
    expect(names).toEqual([
      ['=Ada', 'admin'],
      ['Bo', 'member'],
      ['Di', 'viewer'],
      ['Ed', 'member'],
    ]);
  });

  it('keeps refused rows in a file that only its owner may read, even if it replaces another', async () => {
    const organization = await newOrganization();
    chmodSync(file('open.refused.ndjson', 'older'), 0o644);
    await importFile(file('open.ndjson', '{}\n'), organization);
    expect(refusedIn('open.refused.ndjson')).toBe(
      '{"refused_because":"line 1: name is required; email is required"}\n',
    );
    expect((statSync(path('open.refused.ndjson')).mode & 0o777).toString(8)).toBe('600');
  });

  it('says before it opens the database that it cannot write refused rows', async () => {
    for (const [refused, reason] of [
      [path('no/such/file'), 'no such file or directory'],
      [directory(), 'illegal operation on a directory'],
    ]) {
      const args = ['users', 'import', 'package.json', '--organization', 'org_x', '--refused', refused];
      expect(await run(args, database().env)).toEqual({
        code: 1,
        stdout: '',
        stderr: `The file for refused rows cannot be written at ${refused}: ${reason}. Name another one with --refused.\n`,
      });
    }
  });

  it('reports the fault of a file alone, and creates no users', async () => {
    const csv = file('open.csv', 'email,name\na@example.com,"Ada\n');
    const args = ['users', 'import', csv, '--organization', await newOrganization()];
    const { code, stdout, stderr } = await run([...args, '--json'], database().env);
    expect({ code, summary: JSON.parse(stdout) }).toMatchObject({
      code: 1,
      summary: { created: 0, complete: false },
    });
    expect(stderr).toContain('The quote that opens at line 2 is never closed.');
    expect(stderr).not.toMatch(/^\s+at /m);
    expect((await run([...args, '--dry-run'], database().env)).stdout).toBe('');
    const noColumn = await importFile(file('nobody.csv', 'name,role\n'), await newOrganization());
    expect(noColumn.stderr).toContain('email is missing');
  });

  it('with --mode upsert changes only the fields in a row, makes the new words searchable and leaves equal users untouched', async () => {
    const organization = await newOrganization();
    const original = { name: 'Ada', email: 'ada@example.com', role: 'viewer', metadata: { plan: 'pro' } };
    const same = { name: 'Same', email: 'same@example.com' };
    await importFile(file('first', ndjson([original, same])), organization);
    const before = await exported(organization);

    const csv =
      'email,name,role,metadata\nADA@example.com,Augusta,,\nsame@example.com,Same,,\nnew@example.com,,,\n';
    const changes = file('changes.csv', csv);
    expect((await importFile(changes, organization)).summary).toMatchObject({ created: 0, refused: 3 });
    const { code, summary } = await importFile(changes, organization, '--mode', 'upsert');
    expect({ code, summary }).toMatchObject({ code: 1, summary: { updated: 1, unchanged: 1, refused: 1 } });
    expect(refusedIn('changes.refused.csv')).toBe(
      'refused_because,email,name,role,metadata\nline 4: name is required,new@example.com,,,\n',
    );

    const after = await exported(organization);
    const ada = after.find(({ name }) => name === 'Augusta')!;
    const wasAda = before.find(({ name }) => name === 'Ada')!;
    expect(ada).toEqual({
      ...wasAda,
      name: 'Augusta',
      email: 'ADA@example.com',
      version: 2,
      updatedAt: ada.updatedAt,
    });
    expect(Date.parse(ada.updatedAt)).toBeGreaterThan(Date.parse(wasAda.updatedAt));
    expect(after.find(({ name }) => name === 'Same')).toEqual(before.find(({ name }) => name === 'Same'));
    await withService(organization, async (api) => {
      const { data } = (await api.get('/api/v1/users/search?q=augutsa').expect(200)).body;
      expect(data).toEqual([ada]);
    });
  });

  const byExternalId = ['--mode', 'upsert', '--by', 'external-id'];

  it('with --by external-id changes the same person after the email has changed', async () => {
    const organization = await newOrganization();
    const people = [
      { externalId: 'E-1', name: 'Ada', email: 'ada@example.com' },
      { externalId: 'E-2', name: 'Bob', email: 'bob@example.com' },
    ];
    await importFile(file('staff', ndjson(people)), organization);
    const ids = new Map((await exported(organization)).map(({ externalId, id }) => [externalId, id]));
    const csv =
      'ExternalId,Email,name\nE-1,new@example.com,\nE-2,ada@example.com,\n,x@example.com,X\nE-3,,Eve\n';
    const upsert = (name: string) => importFile(path(name), organization, ...byExternalId);
    file('staff.csv', csv);
    const first = await upsert('staff.csv');
    expect(first).toMatchObject({ code: 1, summary: { updated: 1, created: 0, refused: 3 } });
    // An email that somebody has when the part begins is taken in it, even if the part changes it.
    expect(refusedIn('staff.refused.csv')).toBe(
      'refused_because,ExternalId,Email,name\n' +
        'line 3: email is already used by another user of the organization,E-2,ada@example.com,\n' +
        'line 4: externalId is required,,x@example.com,X\nline 5: email is required,E-3,,Eve\n',
    );
    const again = await upsert('staff.refused.csv');
    expect(again).toMatchObject({ code: 1, summary: { updated: 1, created: 0, refused: 2 } });
    const after = await exported(organization);
    const shown = after.map((user) => [user.externalId, user.id, user.name, user.email, user.version]);
    expect(shown.sort()).toEqual([
      ['E-1', ids.get('E-1'), 'Ada', 'new@example.com', 2],
      ['E-2', ids.get('E-2'), 'Bob', 'ada@example.com', 2],
    ]);
    const noColumn = file('none.csv', 'email,name\n');
    for (const [more, message] of [
      [['--by', 'external-id'], '--by is for --mode upsert'],
      [['--mode', 'upsert', '--by', 'name'], 'It must be email or external-id'],
      [byExternalId, 'The column externalId is missing'],
    ] as const)
      expect((await importFile(noColumn, organization, ...more)).stderr).toContain(message);
  });

  it('with --dry-run reports what it would do with each batch, and writes nothing', async () => {
    const organization = await newOrganization();
    const rows = [
      ...people(0, 1200),
      { ...person(1100), name: 'Somebody Else' }, // has an email of the same batch
      person(1150),
      { name: 'Ada' },
    ];
    const dry = file('dry.ndjson', ndjson(rows));
    for (const more of [[], ['--mode', 'upsert']]) {
      const { code, summary } = await importFile(dry, organization, ...more, '--dry-run');
      expect({ code, dryRun: summary.dryRun }).toEqual({ code: 1, dryRun: true });
      expect(await exported(organization)).toEqual([]);
      const real = await importFile(dry, await newOrganization(), ...more);
      expect({ ...summary, dryRun: false, seconds: 0 }).toEqual({ ...real.summary, seconds: 0 });
    }
  });
});

describeOn('postgres', 'several imports of the same users at a time', () => {
  it('create each user once', async () => {
    const organization = await newOrganization();
    const rows = people(0, 4000);
    const forward = file('forward', ndjson(rows));
    const backward = file('backward', ndjson([...rows].reverse()));
    const jobs = await Promise.all(
      [forward, backward, forward, backward].map((path, i) => {
        const options = ['--refused', `${path}.refused.${i}`, '--mode', i % 2 ? 'upsert' : 'create'];
        return importFile(path, organization, ...options);
      }),
    );
    expect(jobs.map(({ summary }) => summary.complete)).toEqual([true, true, true, true]);
    const sum = (key: string) => jobs.reduce((total, { summary }) => total + summary[key], 0);
    expect([sum('created'), sum('unchanged') + sum('refused')]).toEqual([4000, 12_000]);
    expect(writableFields(await exported(organization))).toEqual(writableFields(rows));
  });
});
