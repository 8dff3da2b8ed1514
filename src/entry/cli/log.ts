import { Logger, type LoggerService } from '@nestjs/common';

const say = (message: unknown) =>
  process.stderr.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);

/** The log of a command: warnings and errors on standard error, because standard output is for the result. */
export const LOGGER: LoggerService = { log: () => {}, warn: say, error: say };

/** Uses it from now on, also before there is an application. */
export const logToStandardError = () => Logger.overrideLogger(LOGGER);
