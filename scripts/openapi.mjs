// Writes openapi.json from the code; with --check only says whether it would differ. The code is compiled with the plugin of
// @nestjs/swagger, which turns types and comments into metadata; what is shipped is compiled without it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { before } from '@nestjs/swagger/plugin';
import { Validator } from '@seriousme/openapi-schema-validator';
import prettier from 'prettier';
import ts from 'typescript';

const FILE = 'openapi.json';
const require = createRequire(import.meta.url);

const outDir = mkdtempSync('node_modules/.openapi-');
try {
  const { options } = ts.parseJsonConfigFileContent(
    { extends: './tsconfig.json', compilerOptions: { outDir, types: ['node'] }, include: [] },
    ts.sys,
    process.cwd(),
  );
  const program = ts.createProgram(['openapi/document.ts'], options);
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
  const { describeService } = require(resolve(outDir, 'openapi/document.js'));
  const document = await describeService();
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
  if (!valid) throw new Error(`The document is not OpenAPI: ${JSON.stringify(errors)}`);
  const style = await prettier.resolveConfig(FILE);
  const written = await prettier.format(JSON.stringify(document), {
    ...style,
    parser: 'json',
  });
  if (!process.argv.includes('--check')) writeFileSync(FILE, written);
  else if (readFileSync(FILE, 'utf8') !== written) {
    process.stderr.write(`${FILE} is not what the code says. Run: npm run openapi\n`);
    process.exitCode = 1;
  }
} finally {
  rmSync(outDir, { recursive: true, force: true });
}
