import type { Request } from 'express';
import { oauthFailure } from './oauth-failure';
import type { TokenForm } from './grant';

export interface ClientCredentials {
  id: string;
  secret: string;
}

/** Whether the caller authenticates by HTTP Basic. */
export const usesBasic = ({ headers }: Request): boolean => /^basic( |$)/i.test(headers.authorization ?? '');

/** The credentials of the client, from the header or the form. Undefined if there are none, or they are incomplete. */
export function credentialsOf(request: Request, form: TokenForm): ClientCredentials | undefined {
  const { client_id: id, client_secret: secret } = form;
  if (!usesBasic(request)) return id !== undefined && secret !== undefined ? { id, secret } : undefined;
  if (secret !== undefined)
    throw oauthFailure('invalid_request', 'Send the secret either by HTTP Basic or in the body.');
  const credentials = fromBasic(request.headers.authorization!);
  if (credentials && id !== undefined && id !== credentials.id)
    throw oauthFailure('invalid_request', 'The client_id in the body must be that of HTTP Basic.');
  return credentials;
}

/** RFC 6749, section 2.3.1: both parts are encoded as in a form. */
function fromBasic(authorization: string): ClientCredentials | undefined {
  const text = Buffer.from(authorization.replace(/^basic */i, ''), 'base64').toString();
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  if (id === undefined) return undefined;
  try {
    return { id: decoded(id), secret: decoded(secret) };
  } catch {
    return undefined;
  }
}

const decoded = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
