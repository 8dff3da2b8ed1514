import type { LoggerService } from '@nestjs/common';
import pino, { type DestinationStream, type Logger } from 'pino';

/** JSON lines on standard output. Whoever logs chooses the fields; nothing logs a request, a header, a body or SQL. */
export const createLog = (level: string, destination?: DestinationStream): Logger =>
  pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, destination);

/** Nest's own messages, and those of its Logger, in the service's log. */
export class NestLog implements LoggerService {
  constructor(private readonly logger: Logger) {}

  // What Nest says of its own start (every module, every route) is for whoever debugs it.
  log = (message: unknown, ...context: unknown[]) => this.write('debug', message, context);
  debug = (message: unknown, ...context: unknown[]) => this.write('debug', message, context);
  verbose = (message: unknown, ...context: unknown[]) => this.write('trace', message, context);
  warn = (message: unknown, ...context: unknown[]) => this.write('warn', message, context);
  error = (message: unknown, ...context: unknown[]) => this.write('error', message, context);
  fatal = (message: unknown, ...context: unknown[]) => this.write('fatal', message, context);

  private write(
    level: 'trace' | 'debug' | 'warn' | 'error' | 'fatal',
    message: unknown,
    parameters: unknown[],
  ): void {
    const context = parameters.at(-1);
    if (typeof message === 'object' && message !== null && !(message instanceof Error)) {
      this.logger[level]({ context, ...message });
    } else {
      this.logger[level]({ context }, message instanceof Error ? message.message : String(message));
    }
  }
}
