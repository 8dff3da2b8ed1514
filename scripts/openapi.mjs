// Writes openapi.json and the client's types; with --check, only reports whether they are out of date. It compiles the
// code with the plugin of @nestjs/swagger, which turns types and comments into metadata; the published build does
// without it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { before } from '@nestjs/swagger/plugin';
import { Validator } from '@seriousme/openapi-schema-validator';
import prettier from 'prettier';
import ts from 'typescript';
import { typesOf } from './openapi/client-types.mjs';

const require = createRequire(import.meta.url);

const outDir = mkdtempSync('node_modules/.openapi-');
try {
  const { options } = ts.parseJsonConfigFileContent(
    { extends: './tsconfig.json', compilerOptions: { outDir, types: ['node'] }, include: [] },
    ts.sys,
    process.cwd(),
  );
  const program = ts.createProgram(['scripts/openapi/document.ts'], options);
  const faults = ts.getPreEmitDiagnostics(program);
  if (faults.length > 0)
    throw new Error(
      ts.formatDiagnostics(faults, {
        getCanonicalFileName: (name) => name,
        getCurrentDirectory: () => process.cwd(),
        getNewLine: () => '\n',
      }),
    );
  const transform = before(
    {
      introspectComments: true,
      dtoFileNameSuffix: ['.dto.ts', '.view.ts', 'page.ts'],
      controllerFileNameSuffix: ['.controller.ts'],
    },
    program,
  );
  program.emit(undefined, undefined, undefined, undefined, { before: [transform] });

  require('reflect-metadata');
  const { describeService } = require(resolve(outDir, 'scripts/openapi/document.js'));
  const document = await describeService();
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
  if (!valid) throw new Error(`The document is not valid OpenAPI: ${JSON.stringify(errors)}`);
  await keep('openapi.json', JSON.stringify(document));
  await keep('client/types.ts', typesOf(document));
} finally {
  rmSync(outDir, { recursive: true, force: true });
}

async function keep(file, text) {
  const style = await prettier.resolveConfig(file);
  const written = await prettier.format(text, { ...style, filepath: file });
  if (!process.argv.includes('--check')) return writeFileSync(file, written);
  if (readFileSync(file, 'utf8') === written) return;
  process.stderr.write(`${file} is out of date. Run: npm run openapi\n`);
  process.exitCode = 1;
}
