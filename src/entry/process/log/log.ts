import type { LoggerService } from '@nestjs/common';
import pino, { type DestinationStream, type Level, type Logger } from 'pino';
import { describeError } from '../../../platform/database/errors';

/** Logs JSON lines to standard output. Callers pick every field; requests, headers, bodies and SQL are never logged. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const formatters = { level: (label: string) => ({ level: label }) }; // log systems do not know pino's numbers
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino({ level, base: undefined, timestamp, formatters }, destination);
}

/** Also logs what Node would print as text: warnings, and the exception that ends the process. */
export function logNodeMessages(logger: Logger): void {
  if (process.listenerCount('warning') > 0) {
    process.removeAllListeners('warning'); // Node's own one, which prints, unless NODE_NO_WARNINGS is set
    process.on('warning', (warning) => logger.warn({ error: describeError(warning) }, 'a warning of Node'));
  }
  process.on('uncaughtException', (error) => {
    logger.fatal({ error: describeError(error) }, 'the process ends');
    process.exit(1);
  });
}

/** Writes the messages of Nest and its Logger to the service's log. */
export class NestLog implements LoggerService {
  constructor(private readonly logger: Logger) {}

  // Nest logs every module and route at start, which is only useful for debugging.
  log = (message: unknown, ...context: unknown[]) => this.write('debug', message, context);
  debug = (message: unknown, ...context: unknown[]) => this.write('debug', message, context);
  verbose = (message: unknown, ...context: unknown[]) => this.write('trace', message, context);
  warn = (message: unknown, ...context: unknown[]) => this.write('warn', message, context);
  error = (message: unknown, ...context: unknown[]) => this.write('error', message, context);
  fatal = (message: unknown, ...context: unknown[]) => this.write('fatal', message, context);

  private write(level: Level, message: unknown, parameters: unknown[]): void {
    const context = parameters.at(-1);
    if (message instanceof Error || typeof message !== 'object' || message === null) {
      this.logger[level]({ context }, message instanceof Error ? message.message : String(message));
    } else {
      const { message: text, ...fields } = message as { message?: string; error?: Error };
      this.logger[level]({ context, ...fields }, text ?? fields.error?.message);
    }
  }
}
