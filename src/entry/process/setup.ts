import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { AppModule } from '../../app.module';
import { browserPaths } from '../../dashboard/browser-paths';
import { type Config, serviceOptions } from './config';
import type { OpenDatabase } from '../../platform/database/data-source';
import { accessLog, type RequestRecord } from '../../platform/http/access-log';
import { deferContinue } from '../../platform/http/server/expect-continue';
import { closeIdleConnections } from '../../platform/http/server/idle-connections';
import { serveOneAtATime } from '../../platform/http/server/one-at-a-time';
import {
  answerParserRefusals,
  replaceStrangeTargets,
  requireTarget,
} from '../../platform/http/server/parser-refusals';
import { limitSmallChunks } from '../../platform/http/server/small-chunks';
import { limitUnsentBytes } from '../../platform/http/server/unsent-bytes';
import { strictExpress } from '../../platform/http/strict-express';
import { allowOrigins } from './cors';
import { NestLog } from './log/log';

/** Creates the application that both `npm start` and the tests run, ready to listen. */
export async function createApp(
  config: Config,
  database: OpenDatabase,
  log: Logger,
  onRequest: (record: RequestRecord) => void = () => {},
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.on(database.dataSource, serviceOptions(config)),
    new ExpressAdapter(strictExpress()),
    // The body is read after the guards, and errors are thrown to the caller instead of ending the process.
    { bodyParser: false, abortOnError: false, logger: new NestLog(log) },
  );
  app.set('trust proxy', config.trustProxy);
  app.use(
    serveOneAtATime,
    limitUnsentBytes(),
    accessLog((record) => {
      log.info(record);
      onRequest(record);
    }),
    requireTarget,
  );
  if (config.corsOrigins.length > 0) allowOrigins(app, config.corsOrigins);
  app.use(browserPaths());

  const server = app.getHttpServer();
  answerParserRefusals(server);
  limitSmallChunks(server);
  deferContinue(server);
  replaceStrangeTargets(server);
  closeIdleConnections(server);
  Object.assign(server, {
    timeout: 30_000, // for closeIdleConnections()
    requestTimeout: 24_000, // with the interval below, shorter than `timeout`, which closes the connection without a 408
    headersTimeout: 10_000,
    connectionsCheckingInterval: 5_000, // Node checks the two timeouts above only every 30 s by default
    keepAliveTimeout: 75_000, // longer than a balancer's idle timeout, or it would reuse a closed connection
  });
  return app;
}
