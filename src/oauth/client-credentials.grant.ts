import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AuthService } from '../auth/auth.service';
import { authenticate } from '../http/caller';
import { TokenWindows } from '../rate-limit/token-windows';
import { type NewToken, TokensService } from '../tokens/tokens.service';
import { credentialsOf } from './client-credentials';
import { scopesOf, type TokenForm, type TokenGrant } from './grant';
import { oauthFailure } from './oauth-failure';

const invalidClient = () =>
  oauthFailure(
    'invalid_client',
    'The client_id must be the id of a token, and the client_secret its value: unknown, expired or revoked.',
  );

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
    const client = credentials && (await this.auth.find(credentials.secret));
    // What an exchange has made has the window of another.
    if (!client || client.id !== credentials.id || client.windowId !== client.id) throw invalidClient();
    authenticate(request, response, client);
    await this.windows.admit({ request, response }, client);
    if (client.suspended)
      throw oauthFailure('invalid_client', 'The organization of the client is suspended.');
    const scopes = scopesOf(form.scope, client.scopes);
    return this.tokens.exchange(client.organizationId, client.id, { scopes }).catch((error: unknown) => {
      if (error instanceof NotFoundException) throw invalidClient(); // revoked meanwhile
      throw error instanceof ConflictException ? oauthFailure('invalid_request', error.message) : error;
    });
  }
}
