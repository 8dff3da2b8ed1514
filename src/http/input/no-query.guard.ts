import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import type { Request } from 'express';
import { invalidInput } from '../fault';
import { nested } from './json-faults';

/** Rejects query parameters on routes that declare none, because no DTO would check them. */
@Injectable()
export class NoQueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { url, query } = context.switchToHttp().getRequest<Request>();
    if (url.includes('?') && !takesQuery(context)) {
      const faults = Object.keys(query).map(
        (key) =>
          ({ field: nested('', key), code: 'unknown', message: 'is not a known query parameter' }) as const,
      );
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
