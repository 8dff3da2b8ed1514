import { readFileSync, writeFileSync } from 'node:fs';
import ts from 'typescript';

/** Takes the comments out of a compiled file, which the sources and the declarations have. */
export function removeComments(file) {
  const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
    compilerOptions: { removeComments: true, target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.Preserve },
  });
  writeFileSync(file, outputText);
}
