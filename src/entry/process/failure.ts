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
  /** The certificate that has another name than the host. */
  cert?: { subjectaltname?: string };
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

const NO_TLS = 'The server does not support SSL connections'; // has no code

/** Advice about the certificate of the server, by the code of the error. */
const CERTIFICATE: Record<string, (failure: Failure) => string> = {
  CERT_HAS_EXPIRED: () => 'Renew the certificate of the server, or of its CA in the file of sslrootcert.',
  CERT_NOT_YET_VALID: () => 'Correct the clock of this machine, or the certificate of the server.',
  ERR_TLS_CERT_ALTNAME_INVALID: ({ cert }) =>
    `Set the host in DATABASE_URL to a name of the certificate: ${cert?.subjectaltname ?? 'it has none'}.`,
};

/** Codes of a certificate that is not trusted. */
const UNTRUSTED = /^UNABLE_TO_|CERT/;

function adviceToConnect(code: string, failure: Failure): string {
  if (CERTIFICATE[code]) return CERTIFICATE[code](failure);
  if (UNTRUSTED.test(code)) return 'Set sslrootcert in DATABASE_URL to a PEM file with the CA of the server.';
  if (failure.message === NO_TLS)
    return 'Set ssl = on in PostgreSQL or, in a network that you trust, sslmode=disable in DATABASE_URL.';
  if (/^(open|read)$/.test(failure.syscall ?? ''))
    return 'Correct the path in DATABASE_URL, or make the file readable.';
  return CONNECTING[code] ?? 'Check DATABASE_URL and the server.';
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
  const message = error.message.replace(/[\s:.]+$/, '');
  return advice ? `The database cannot be used: ${message}. ${advice}` : error.message;
}
