/**
 * @only embedded: it tests the embedded database
 */
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import { lockDirectory } from '../../src/platform/database/embedded/data-directory';
import { openEmbedded } from '../../src/platform/database/embedded/embedded';
import { copyOfTemplate, emptyDirectory } from '../support/database';

/** Where tests run on a server, there is no directory to copy; making one takes ten seconds. */
const aDirectory = () => (process.env.UMS_TEST_SERVER ? emptyDirectory() : copyOfTemplate());

it('lets others have their turn between the statements of one caller, not within one', async () => {
  const { env, drop } = await aDirectory();
  const { options, close } = await openEmbedded(env.DATA_DIR);
  const pool = new pg.Pool(options.extra);
  await pool.query('SELECT 1');
  let turns = 0;
  let timer = setImmediate(function count() {
    turns++;
    timer = setImmediate(count);
  });
  for (let n = 0; n < 100; n++) await pool.query('SELECT $1', [n]); // five messages each
  clearImmediate(timer);
  await pool.end();
  await close();
  await drop();
  expect(turns).toBeGreaterThanOrEqual(100);
  expect(turns).toBeLessThan(200);
});

// Windows has no modes.
const onUnix = process.platform === 'win32' ? describe.skip : describe;

onUnix('the directory of the embedded database', () => {
  let parent: string;
  let warn: jest.SpyInstance;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'ums-directory-'));
    warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
  });
  afterEach(() => rmSync(parent, { recursive: true }));

  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  const open = async (path: string) => (await lockDirectory(path))();

  function directory(mode: number, ...names: string[]): string {
    const path = join(parent, 'data');
    mkdirSync(path);
    for (const name of names) writeFileSync(join(path, name), '');
    chmodSync(path, mode);
    return path;
  }

  it('is private, but not the parents that it needs', async () => {
    const path = join(parent, 'a', 'b');
    const mask = process.umask(0o022);
    await open(path).finally(() => process.umask(mask));
    expect([modeOf(path), modeOf(join(parent, 'a'))]).toEqual(['700', '755']);
    expect(warn).not.toHaveBeenCalled();
  });

  it('is made private if it is there already, which is said once', async () => {
    for (const names of [[], ['lock-1-a'], ['pg', 'webhook-key']]) {
      const path = directory(0o755, ...names);
      await open(path);
      await open(path);
      expect([names, modeOf(path)]).toEqual([names, '700']);
      expect(warn.mock.calls).toEqual([[`Other users could access ${path} (mode 755). It is private now.`]]);
      warn.mockClear();
      rmSync(path, { recursive: true });
    }
  });

  it('is left alone, and refused, if it has other files and is not private', async () => {
    const path = directory(0o775, 'notes');
    await expect(open(path)).rejects.toThrow('it has other files, and other users can access it (mode 775)');
    expect(modeOf(path)).toBe('775');
    chmodSync(path, 0o700);
    await open(path);
  });

  // Only root can give a directory away.
  (process.getuid?.() === 0 ? it : it.skip)('is not one of another user', async () => {
    const path = directory(0o700);
    chownSync(path, 65534, 65534);
    await expect(open(path)).rejects.toThrow('it belongs to another user. Set DATA_DIR');
  });
});
