import { HttpException } from '@nestjs/common';
import type { Fault } from '../http/fault';

/** The message for a person, without a stack. */
export function messageOf(error: unknown): string {
  if (error instanceof HttpException) {
    const { errors } = error.getResponse() as { errors?: Fault[] };
    return [error.message, ...(errors ?? []).map(({ field, message }) => `  ${field} ${message}`)].join('\n');
  }
  // Connecting to a host name with several addresses fails with one error per address.
  if (error instanceof AggregateError && !error.message) return error.errors.map(messageOf).join('\n');
  return error instanceof Error ? error.message : String(error);
}

/** Prints the message of the error and ends the process. */
export function fail(error: unknown): never {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(process.exitCode ?? 1);
}
