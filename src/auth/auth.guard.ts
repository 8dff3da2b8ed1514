import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import type { Response } from 'express';
import { TokenLookup } from '../tokens/token-lookup';
import type { AuthenticatedRequest } from './authenticated-request';

/** Who is calling: 401 without a token that is valid now. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(private readonly tokens: TokenLookup) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    const value = bearer(request.headers.authorization);
    const token = value === undefined ? null : await this.tokens.find(value);
    if (!token) {
      const challenge = value === undefined ? 'Bearer' : 'Bearer error="invalid_token"';
      http.getResponse<Response>().setHeader('WWW-Authenticate', challenge);
      throw new UnauthorizedException(
        value === undefined
          ? 'Send a token: Authorization: Bearer <token>.'
          : 'The token is not valid: unknown, expired or revoked.',
      );
    }
    request.token = token;
    return true;
  }
}

/** What the header offers as a token; undefined when it offers none. */
const bearer = (authorization = '') => /^bearer(?: +(.*))?$/i.exec(authorization)?.[1];
