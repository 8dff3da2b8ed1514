import { HttpException } from '@nestjs/common';
import { reasonOf, sqlState } from '../../platform/database/errors';
import type { Fault } from '../../platform/http/fault';

/** An error of Node, with the variable that names the port or the server. */
interface Failure extends Error {
  variable?: string;
  syscall?: string;
  port?: number;
  address?: string;
  hostname?: string;
}

const unknownHost = ({ hostname }: Failure) =>
  `The host name ${hostname} is unknown. Set HOST to an address of this machine, to 127.0.0.1, or to 0.0.0.0 for all.`;

/** Sentences for a port that cannot be opened, by the code of the error. */
const LISTENING: Record<string, (failure: Failure) => string> = {
  EADDRINUSE: ({ port, variable }) =>
    `Port ${port} is in use by another process. Stop it, or set ${variable} to another port.`,
  EACCES: ({ port, variable }) =>
    `This user may not open port ${port}. Set ${variable} to a port from 1024 to 65535.`,
  EADDRNOTAVAIL: ({ address }) =>
    `This machine does not have the address ${address}. Set HOST to one that it has, to 127.0.0.1, or to 0.0.0.0 for all.`,
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
};

const START_IT = 'Start PostgreSQL there, or correct the host and port in DATABASE_URL.';

/** Advice about a server that cannot be reached, by the code of the error. */
const CONNECTING: Record<string, string> = {
  ENOTFOUND: 'Correct the host in DATABASE_URL.',
  ECONNREFUSED: START_IT,
  ENOENT: START_IT, // the socket
  '28P01': 'Correct the user name and password in DATABASE_URL.',
  '28000': 'Correct DATABASE_URL, with sslmode=verify-full if the server requires TLS, or pg_hba.conf.',
  '3D000': 'Create it, or correct the database name in DATABASE_URL.',
};

/** Advice about refusals that can happen at any time. */
const REFUSED: Record<string, string> = {
  '42501': 'Grant the right, or use a role that has it.',
  '53300': 'Lower DATABASE_POOL_SIZE, or raise max_connections on the server.',
  '57P03': 'Try again in a moment.',
};

/** Codes of a certificate that is not trusted. */
const UNTRUSTED = /^(ERR_TLS_|UNABLE_TO_)|CERT/;

function adviceToConnect(code: string, { syscall }: Failure): string {
  if (UNTRUSTED.test(code)) return 'Add sslrootcert=<file of its CA> to DATABASE_URL.';
  // A file that DATABASE_URL names can be missing, too.
  const advice = code === 'ENOENT' && syscall !== 'connect' ? undefined : CONNECTING[code];
  return advice ?? 'Check DATABASE_URL and the server.';
}

/**
 * The message for a person, without a stack. URLs are never shown, because they contain passwords. `nameOf` says under
 * which names the person knows the fields.
 */
export function messageOf(error: unknown, nameOf = (field: string) => field): string {
  if (error instanceof HttpException) {
    const { errors } = error.getResponse() as { errors?: Fault[] };
    return [
      error.message,
      ...(errors ?? []).map(({ field, message }) => `  ${nameOf(field)} ${message}`),
    ].join('\n');
  }
  if (!(error instanceof Error)) return reasonOf(error);
  const { variable } = error as Failure;
  // Connecting to a host name with several addresses fails with one error for each.
  if (error instanceof AggregateError && error.errors[0] instanceof Error)
    return messageOf(Object.assign(error.errors[0], { variable }));
  const code = sqlState(error) ?? '';
  const isOfDatabase = variable === 'DATABASE_URL';
  if (variable && !isOfDatabase && LISTENING[code]) return LISTENING[code](error);
  const advice = REFUSED[code] ?? (isOfDatabase ? adviceToConnect(code, error) : undefined);
  return advice ? `The database cannot be used: ${error.message}. ${advice}` : error.message;
}
