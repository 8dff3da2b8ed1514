import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { invalidInput } from '../../platform/http/fault';

/** Rejects `If-Match` on routes without ETags: ignoring it would promise a protection that does not exist. */
@Injectable()
export class NoIfMatchGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<Request>();
    if (headers['if-match'] === undefined) return true;
    const message = 'is not accepted, because deleted users have no ETag';
    throw invalidInput([{ field: 'If-Match', code: 'invalid', message }]);
  }
}
