// The service on PostgreSQL with the limiter in memory, as an application that runs one process may choose it.
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
  // Where no server is named, the memory of the one process counts.
  const app = await createApp({ ...config, databaseUrl: undefined }, database, createLog(config.logLevel));
  await app.listen(0, '127.0.0.1');
  console.log(JSON.stringify({ url: `http://127.0.0.1:${app.getHttpServer().address().port}` }));
})();
