import { join, resolve } from 'node:path';
import { reasonOf } from '../errors';
import { FILES, lockDirectory } from './data-directory';
import { type Embedded, importPGlite } from './pglite';

const REMEDY = 'Set DATABASE_URL to a PostgreSQL server, or run npm install @electric-sql/pglite.';

/** Opens the embedded database on a directory, which it locks until it is closed. */
export async function openEmbedded(dataDir: string): Promise<Embedded> {
  const open = await importPGlite(REMEDY);
  const unlock = await lockDirectory(dataDir);
  const { options, close } = await open(join(dataDir, FILES)).catch(async (error: unknown) => {
    await unlock();
    throw new Error(
      `The embedded database in ${resolve(dataDir)} cannot be opened: ${reasonOf(error)}. Set DATA_DIR to another directory.`,
      { cause: error },
    );
  });
  return {
    options,
    close: async () => {
      await close();
      await unlock();
    },
  };
}
