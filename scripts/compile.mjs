import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { transformFile } from '@swc/core';

// As TypeScript compiles them: import() stays, and ES modules can import the exports by name.
export const COMMONJS = { type: 'commonjs', ignoreDynamic: true, exportInteropAnnotation: true };

/** The options of the service's code; those for every file are in .swcrc. */
export const CODE = { module: COMMONJS, sourceMaps: true };

/** Compiles the TypeScript files of a folder. */
export async function compile(from, to, options) {
  const names = (await readdir(from, { recursive: true })).filter((name) => name.endsWith('.ts'));
  await Promise.all(names.map((name) => compileFile(join(from, name), join(to, name), options)));
}

export async function compileFile(from, to, options) {
  const { code, map } = await transformFile(from, options);
  const file = to.replace(/\.ts$/, '.js');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, code);
  if (map) await writeFile(`${file}.map`, map);
}
