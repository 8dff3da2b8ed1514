import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import {
  authenticate,
  type KnownToken,
  markRouted,
  type Operator,
  OPERATOR,
  recordRefusal,
} from '../platform/http/caller';
import { unauthorized } from '../platform/http/fault';
import { type Access, accessTo } from '../platform/http/scopes';
import { AuthService } from './auth.service';

/** Identifies the caller. Answers 401 without a valid token. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(private readonly auth: AuthService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    markRouted(request);
    const access = accessTo(context);
    if (access === 'public') return true;
    const value = bearer(request.headers.authorization);
    const caller = value === undefined ? null : await this.find(value, request.ip, access);
    if (caller) {
      authenticate(request, http.getResponse<Response>(), caller);
      return true;
    }
    recordRefusal(request, value === undefined ? 'missing_token' : 'invalid_token');
    const challenge = value === undefined ? 'Bearer' : 'Bearer error="invalid_token"';
    http.getResponse<Response>().setHeader('WWW-Authenticate', challenge);
    throw unauthorized(
      value === undefined
        ? 'Send a token: Authorization: Bearer <token>.'
        : 'The token is not valid: unknown, expired or revoked.',
    );
  }

  private async find(
    value: string,
    address: string | undefined,
    access: Access,
  ): Promise<KnownToken | Operator | null> {
    if (access !== 'operator') return this.auth.find(value, address);
    return this.auth.isOperator(value) ? OPERATOR : null;
  }
}

/** The token in the Authorization header; undefined if the header has none. */
const bearer = (authorization = '') => /^bearer(?: +(.*))?$/i.exec(authorization)?.[1];
