/**
 * @only embedded: it uses no database
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Package {
  integrity?: string;
  hasInstallScript?: boolean;
  dev?: boolean;
}

const directory = mkdtempSync(join(tmpdir(), 'ums-lock-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** The verdict on the lock file after a change. */
function check(change: (packages: Record<string, Package>) => void) {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  change(lock.packages);
  const file = join(directory, 'package-lock.json');
  writeFileSync(file, JSON.stringify(lock));
  const { status, stderr } = spawnSync(process.execPath, ['scripts/lock-file.mjs', file], {
    encoding: 'utf8',
  });
  return { status, stderr };
}

describe('the check of the lock file', () => {
  it('accepts the one of this repository', () => {
    expect(check(() => {})).toEqual({ status: 0, stderr: '' });
  });

  it.each<[string, (packages: Record<string, Package>) => void]>([
    ['node_modules/express has no SHA-512 hash', (all) => delete all['node_modules/express'].integrity],
    [
      'node_modules/express has no SHA-512 hash',
      (all) => (all['node_modules/express'].integrity = 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk='),
    ],
    [
      'node_modules/express runs a script when it is installed',
      (all) => (all['node_modules/express'].hasInstallScript = true),
    ],
    [
      'node_modules/@swc/core, which has an install script, is installed in production',
      (all) => delete all['node_modules/@swc/core'].dev,
    ],
  ])('reports that %s', (fault, change) => {
    const { status, stderr } = check(change);
    expect(status).toBe(1);
    expect(stderr).toContain(fault);
  });
});

describe('the list of packages of the image', () => {
  it('has what is installed in production and in the pages, and nothing else', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['scripts/sbom.mjs', '@electric-sql/pglite'], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const names = JSON.parse(stdout).components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['express', 'pg', 'preact', 'swagger-ui-dist']));
    for (const name of ['jest', '@electric-sql/pglite', 'vite']) expect(names).not.toContain(name);
  });
});
