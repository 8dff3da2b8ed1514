// Takes out of dist what a user of the package does not need: comments in the code, which the sources have, declarations that
// no exported type leads to, and the indentation of openapi.json.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { removeComments } from './comments.mjs';

const ENTRY = 'dist/src/index.d.ts';

const files = ['dist/src', 'dist/csv', 'dist/migrations'].flatMap((folder) =>
  readdirSync(folder, { recursive: true }).map((name) => join(folder, name)),
);

for (const file of files.filter((name) => name.endsWith('.js'))) removeComments(file);

const needed = new Set();
const visit = (file) => {
  if (needed.has(file)) return;
  needed.add(file);
  for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles) {
    const path = join(dirname(file), fileName);
    const declarations = [`${path}.d.ts`, join(path, 'index.d.ts')].find((candidate) =>
      existsSync(candidate),
    );
    if (fileName.startsWith('.') && declarations) visit(declarations);
  }
};
visit(ENTRY);
for (const file of files) if (file.endsWith('.d.ts') && !needed.has(file)) rmSync(file);

const OPENAPI = 'dist/openapi.json';
writeFileSync(OPENAPI, JSON.stringify(JSON.parse(readFileSync(OPENAPI, 'utf8'))));
