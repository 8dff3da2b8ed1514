// A host application that serves the API, sends webhooks and has a subscriber, in a process of its own. It tells its
// parent its address, and when the subscriber gets the event of a new user.
const { NestFactory } = require('@nestjs/core');
const { TypeOrmModule } = require('@nestjs/typeorm');
const { UserManagementModule } = require('../../../dist/src');

/** Connections of the service, as in a process of its own; the pool has as many again. */
const CONNECTIONS = 10;

/** The timeouts of a process of its own. */
const options = '-c lock_timeout=2000 -c statement_timeout=5000';

function handle({ type, sequence, data }) {
  if (type === 'user.created') process.send({ email: data.user.email, sequence, at: Date.now() });
}

class Application {}
NestFactory.create(
  {
    module: Application,
    imports: [
      TypeOrmModule.forRoot({
        type: 'postgres',
        url: process.env.DATABASE_URL,
        extra: { max: 2 * CONNECTIONS, options },
      }),
      UserManagementModule.forRoot({
        connections: CONNECTIONS,
        webhooks: {
          encryptionKey: process.env.WEBHOOK_ENCRYPTION_KEY,
          allowedNetworks: [process.env.WEBHOOK_ALLOWED_NETWORKS],
        },
        subscribers: [{ name: 'mailing', handle }],
      }),
    ],
  },
  { logger: false },
).then(async (app) => {
  app.getHttpServer().keepAliveTimeout = 60_000; // or a request may meet the end of its connection
  await app.listen(0, '127.0.0.1');
  process.send({ url: await app.getUrl() });
});
