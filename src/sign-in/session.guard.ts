import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  ForbiddenException,
  Injectable,
  type UnauthorizedException,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { unauthorized } from '../platform/http/fault';
import { type SignedInPerson, SignInSource } from './source/sign-in-source';

const people = new WeakMap<Request, SignedInPerson>();

/** Whoever creates a session must be signed in: judged before the body is read, because anybody can send one. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(private readonly source: SignInSource) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (request.method !== 'POST') return true;
    if (!this.source.isOwnOrigin(request))
      throw new ForbiddenException('Only the dashboard itself may open a session.');
    const person = await this.source.find(request);
    if (!person) throw notSignedIn(http.getResponse());
    people.set(request, person);
    return true;
  }
}

/** The person whom the guard has found. */
export const CurrentPerson = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  people.get(context.switchToHttp().getRequest<Request>())!,
);

export function notSignedIn(response: Response): UnauthorizedException {
  response.setHeader('WWW-Authenticate', 'Bearer');
  return unauthorized('You are not signed in. Sign in again.');
}
