import { Logger, type LoggerService } from '@nestjs/common';

const say = (message: unknown) =>
  process.stderr.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);

/** Of a command's log, warnings and errors go to standard error: standard output is for its result. */
export const LOGGER: LoggerService = { log: () => {}, warn: say, error: say };

/** Does so also before there is an application. */
export const logToStandardError = () => Logger.overrideLogger(LOGGER);
