// The tests make and drop hundreds of databases, which costs less in memory than on a disk.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const MIN_BYTES = 8e9;
/** Containers often have little of this memory, or allow no programs in it. */
const MEMORY = '/dev/shm';

/** Makes a folder in memory the one for temporary files, until this process ends. */
export function useMemory() {
  const { bavail, bsize } = statfsSync(MEMORY, { throwIfNoEntry: false }) ?? {};
  if (!(bavail * bsize > MIN_BYTES)) return;
  const folder = mkdtempSync(join(MEMORY, 'ums-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755); // another user runs the PostgreSQL in it
  const program = join(folder, 'true');
  copyFileSync(spawnSync('sh', ['-c', 'command -v env'], { encoding: 'utf8' }).stdout.trim(), program);
  if (spawnSync(program).status === 0) process.env.TMPDIR = folder;
}
