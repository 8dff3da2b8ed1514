// The service on PostgreSQL with the rate limit in memory, as an application with a single process may configure it.
const { createApp } = require('../../dist/src/process/setup.js');
const { readConfig } = require('../../dist/src/process/config.js');
const { openDatabase } = require('../../dist/src/database/data-source.js');
const { createLog } = require('../../dist/src/process/log.js');
const { schema } = require('../../dist/src/schema.js');
const { disablePretenuring } = require('../../dist/src/process/v8.js');

(async () => {
  disablePretenuring();
  const config = readConfig(process.env);
  const database = await openDatabase(config, schema);
  // Without a database URL, createApp() counts in memory.
  const app = await createApp({ ...config, databaseUrl: undefined }, database, createLog(config.logLevel));
  await app.listen(0, '127.0.0.1');
  console.log(JSON.stringify({ url: `http://127.0.0.1:${app.getHttpServer().address().port}` }));
})();
