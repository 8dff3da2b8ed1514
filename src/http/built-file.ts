import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';

/** `dist`, seen from the compiled code or, in the tests, from the sources. */
const DIST = join(__dirname, __dirname.includes(`${sep}dist${sep}src${sep}`) ? '../..' : '../../dist');

/** The path of a file that `npm run build` creates in addition to the code. */
export const builtFile = (path: string) => join(DIST, path);

/** Whether it is there: `nest start` compiles the code alone. */
export const isBuilt = (path: string) => existsSync(builtFile(path));

export const NOT_BUILT = 'This page has not been built. Run: npm run build';
