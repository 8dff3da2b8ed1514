import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import type { Logger } from 'pino';
import { AppModule } from './app.module';
import type { Config } from './config';
import type { Database } from './database/data-source';
import { accessLog } from './http/access-log';
import { deferContinue } from './http/expect-continue';
import { answerParserRefusals, requireHost } from './http/parser-refusals';
import { NestLog } from './log';

/** The application as `npm start` and the tests both run it, ready to listen. */
export async function createApp(
  config: Config,
  database: Database,
  log: Logger,
): Promise<NestExpressApplication> {
  // Paths are what they are: an upper-case one, or one with a slash more, would pass by a gateway's rules. Express reads
  // these two when its router is made, which Nest's adapter does at once.
  const instance = express().enable('case sensitive routing').enable('strict routing');
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.on(database.dataSource, {
      rateLimitPerMinute: config.rateLimitPerMinute,
      // The embedded database serves one process, so its memory counts all there is.
      rateLimitStorage: config.databaseUrl === undefined ? 'memory' : 'postgres',
    }),
    new ExpressAdapter(instance),
    // The body is read after the guards; forwarded errors tell the caller of `createApp` more than an exit code.
    { bodyParser: false, abortOnError: false, logger: new NestLog(log) },
  );
  app.disable('x-powered-by');
  app.disable('etag'); // every answer of the API is `no-store`
  app.set('trust proxy', config.trustProxy);
  app.use(accessLog(log), requireHost);

  const server = app.getHttpServer();
  answerParserRefusals(server);
  deferContinue(server);
  Object.assign(server, {
    requestTimeout: 30_000,
    headersTimeout: 10_000,
    connectionsCheckingInterval: 5_000, // or the two would be looked at every half minute
    keepAliveTimeout: 75_000, // longer than a balancer keeps a connection idle, or it meets a closed one
  });
  return app;
}
