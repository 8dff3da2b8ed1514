import { join, sep } from 'node:path';

/** `dist`, seen from the compiled code or, in the tests, from the sources. */
const DIST = join(__dirname, __dirname.includes(`${sep}dist${sep}src${sep}`) ? '../..' : '../../dist');

/** The path of a file that `npm run build` creates in addition to the code. */
export const builtFile = (path: string) => join(DIST, path);
