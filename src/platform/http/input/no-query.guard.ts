import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import type { Request } from 'express';
import { type Fault, invalidInput } from '../fault';
import { nested } from './json-faults';

/** Rejects query parameters on routes that declare none, because no DTO would check them. */
@Injectable()
export class NoQueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { url, query } = context.switchToHttp().getRequest<Request>();
    if (url.includes('?') && !takesQuery(context)) {
      const message = 'is not a known query parameter';
      const faults = Object.keys(query).map((key): Fault => ({
        field: nested('', key),
        code: 'unknown',
        message,
      }));
      if (faults.length > 0) throw invalidInput(faults);
    }
    return true;
  }
}

function takesQuery(context: ExecutionContext): boolean {
  const declared =
    Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name) ?? {};
  return Object.keys(declared).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`));
}
