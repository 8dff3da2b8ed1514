import { HttpException } from '@nestjs/common';
import type { Fault } from '../http/fault';

/** What a person is told of a failure: no stack. */
export function messageOf(error: unknown): string {
  if (error instanceof HttpException) {
    const { errors } = error.getResponse() as { errors?: Fault[] };
    return [error.message, ...(errors ?? []).map(({ field, message }) => `  ${field} ${message}`)].join('\n');
  }
  // A name with several addresses refuses a connection once for each.
  if (error instanceof AggregateError && !error.message) return error.errors.map(messageOf).join('\n');
  return error instanceof Error ? error.message : String(error);
}

/** Ends the process with one line that says what went wrong. */
export function fail(error: unknown): never {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(process.exitCode ?? 1);
}
