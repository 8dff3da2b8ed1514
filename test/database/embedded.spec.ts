/**
 * @only embedded: it tests the embedded database
 */
import pg from 'pg';
import { openEmbedded } from '../../src/platform/database/embedded/embedded';
import { copyOfTemplate, emptyDirectory } from '../support/database';

/** Where tests run on a server, there is no directory to copy; making one takes ten seconds. */
const aDirectory = () => (process.env.UMS_TEST_SERVER ? emptyDirectory() : copyOfTemplate());

it('lets others have their turn between the statements of one caller, not within one', async () => {
  const { env, drop } = await aDirectory();
  const { options, close } = await openEmbedded(env.DATA_DIR);
  const pool = new pg.Pool(options.extra);
  await pool.query('SELECT 1');
  let turns = 0;
  let timer = setImmediate(function count() {
    turns++;
    timer = setImmediate(count);
  });
  for (let n = 0; n < 100; n++) await pool.query('SELECT $1', [n]); // five messages each
  clearImmediate(timer);
  await pool.end();
  await close();
  await drop();
  expect(turns).toBeGreaterThanOrEqual(100);
  expect(turns).toBeLessThan(200);
});
