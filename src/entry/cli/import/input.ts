import { createReadStream, fstatSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';

/** Opens a file or standard input; the total of standard input, a pipe or a device is unknown. */
export function openInput(
  path: string,
  stdin: Readable,
): { source: Readable; total?: number; bytesRead(): number } {
  if (path === '-') return { source: stdin, bytesRead: () => 0 };
  const fd = openSync(path, 'r');
  const stat = fstatSync(fd);
  const source = createReadStream(path, { fd });
  return { source, total: stat.isFile() ? stat.size : undefined, bytesRead: () => source.bytesRead };
}
