import { BadRequestException, ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AuthService } from '../auth/auth.service';
import { authenticate } from '../platform/http/caller';
import { TokenWindows } from '../platform/rate-limit/token-windows';
import { type NewToken, TokensService } from '../tokens/tokens.service';
import { scopesOf, type TokenForm, type TokenGrant } from './grant';
import { oauthFailure } from './oauth-failure';

const invalidClient = () =>
  oauthFailure(
    'invalid_client',
    'The client_id must be the id of a token, and the client_secret its value: unknown, expired or revoked.',
  );

const scopeIsGone = () => oauthFailure('invalid_scope', 'The client has just lost one of these scopes.');

/** Exchanges the value of a token for a token of an hour (RFC 6749, section 4.4). */
@Injectable()
export class ClientCredentialsGrant implements TokenGrant {
  static readonly type = 'client_credentials';
  static readonly fields = ['client_id', 'client_secret'] as const;

  constructor(
    private readonly auth: AuthService,
    private readonly windows: TokenWindows,
    private readonly tokens: TokensService,
  ) {}

  async exchange(request: Request, response: Response, form: TokenForm): Promise<NewToken> {
    const credentials = credentialsOf(request, form);
    const client = credentials && (await this.auth.find(credentials.secret, request.ip));
    // What an exchange has made has the window of another.
    if (!client || client.id !== credentials.id || client.windowId !== client.id) throw invalidClient();
    authenticate(request, response, client);
    await this.windows.admit({ request, response }, client);
    if (client.isElsewhere)
      throw oauthFailure('invalid_client', 'The client may not be used from this network.');
    if (client.suspended)
      throw oauthFailure('invalid_client', 'The organization of the client is suspended.');
    const scopes = scopesOf(form.scope, client.scopes);
    return this.tokens.exchange(client.organizationId, client.id, { scopes }).catch((error: unknown) => {
      if (error instanceof NotFoundException) throw invalidClient(); // revoked meanwhile
      if (error instanceof BadRequestException) throw scopeIsGone(); // narrowed meanwhile
      throw error instanceof ConflictException ? oauthFailure('invalid_request', error.message) : error;
    });
  }
}

interface ClientCredentials {
  id: string;
  secret: string;
}

/** Whether the caller authenticates by HTTP Basic. */
export const usesBasic = ({ headers }: Request): boolean => /^basic( |$)/i.test(headers.authorization ?? '');

/** The credentials of the client, from the header or the form. Undefined if there are none, or they are incomplete. */
function credentialsOf(request: Request, form: TokenForm): ClientCredentials | undefined {
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
