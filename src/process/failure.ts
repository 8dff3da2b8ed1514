import { HttpException } from '@nestjs/common';
import { reasonOf, sqlState } from '../database/errors';
import type { Fault } from '../http/fault';

/**
 * Plain sentences for the failures of a start, which name the variable to set. Each pattern is compared with the variable
 * of the port (`listen()` adds it), the code and the message of the error; `$1` is its first group. URLs are never shown,
 * because they contain passwords.
 */
const SENTENCES: [RegExp, string][] = [
  [
    /^(\w*PORT) EADDRINUSE .*:(\d+)$/,
    'Port $2 is in use by another process. Stop it, or set $1 to another port.',
  ],
  [/^(\w*PORT) EACCES .*:(\d+)$/, 'This user may not open port $2. Set $1 to a port from 1024 to 65535.'],
  [
    /^\w*PORT EADDRNOTAVAIL .*available (.+?)(?::\d+)?$/,
    'This machine does not have the address $1. Set HOST to one that it has, to 127.0.0.1, or to 0.0.0.0 for all.',
  ],
  [
    /^\w*PORT \w+ getaddrinfo \w+ (\S+)/,
    'The host name $1 is unknown. Set HOST to an address of this machine, to 127.0.0.1, or to 0.0.0.0 for all.',
  ],
  [/ getaddrinfo \w+ (\S+)/, 'The host name $1 is unknown. Correct the host in DATABASE_URL.'],
  [
    / connect (?:ECONNREFUSED|ENOENT|EACCES) (\S+)/,
    'No database server answers at $1. Start PostgreSQL there, or correct the host and port in DATABASE_URL.',
  ],
  [
    / connect E(?:HOSTUNREACH|NETUNREACH|TIMEDOUT)|timeout expired|due to connection timeout|when trying to connect/,
    'The database server does not respond. Check the host and port in DATABASE_URL, and firewalls on the way.',
  ],
  [
    /Connection terminated unexpectedly|ECONNRESET/,
    'The database server closed the connection. Check that the host and port in DATABASE_URL are those of PostgreSQL.',
  ],
  [
    /^28P01 (.*)/,
    'The database server refuses the login: $1. Correct the user name and password in DATABASE_URL.',
  ],
  [
    /client password must be a string/,
    'The database server requires a password. Add it to DATABASE_URL: postgres://user:password@host/database.',
  ],
  [
    /^28000 role (".*") does not exist/,
    'The database server has no role $1. Create it, or correct the user name in DATABASE_URL.',
  ],
  [
    /^28000 (.*, (?:no encryption|SSL off))$/,
    'The database server refuses the connection: $1. If it requires TLS, add sslmode=verify-full to DATABASE_URL.',
  ],
  [/^28000 (.*)/, 'The database server refuses the connection: $1. Correct DATABASE_URL or pg_hba.conf.'],
  [
    /^3D000 database (".*") does not exist/,
    'The database server has no database $1. Create it, or correct the database name in DATABASE_URL.',
  ],
  [
    /^53300 (.*)/,
    'The database server has no connection left: $1. Lower DATABASE_POOL_SIZE, or raise max_connections on the server.',
  ],
  [
    /does not support SSL/,
    'The database server does not support TLS. Remove sslmode from DATABASE_URL, or enable TLS on the server.',
  ],
  [
    /^(?:ERR_TLS_\w+|\w*CERT\w*|UNABLE_TO_\w+) (.*)/,
    'The certificate of the database server is not trusted: $1. Add sslrootcert=<file of its CA> to DATABASE_URL.',
  ],
  [/URI malformed/, 'DATABASE_URL has a % that encodes no character. Write it as %25.'],
  [/^42501 (.*)/, 'The role in DATABASE_URL lacks a right: $1. Grant it, or use a role that has it.'],
  [/^57P03 (.*)/, 'The database server is not ready: $1. Try again in a moment.'],
];

/** The message for a person, without a stack. */
export function messageOf(error: unknown): string {
  if (error instanceof HttpException) {
    const { errors } = error.getResponse() as { errors?: Fault[] };
    return [error.message, ...(errors ?? []).map(({ field, message }) => `  ${field} ${message}`)].join('\n');
  }
  // Connecting to a host name with several addresses fails with one error per address.
  if (error instanceof AggregateError) return messageOf(error.errors[0]);
  if (!(error instanceof Error)) return reasonOf(error);
  const { variable } = error as { variable?: string };
  const text = [variable, sqlState(error), error.message].filter(Boolean).join(' ');
  for (const [pattern, sentence] of SENTENCES) {
    const match = pattern.exec(text);
    if (match) return sentence.replace(/\$(\d)/g, (_, group) => match[group]);
  }
  return error.message;
}

/** Prints the message of the error and ends the process. */
export function fail(error: unknown): never {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(process.exitCode ?? 1);
}
