import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { setCommonHeaders } from './request-id';

/** Sets X-Request-ID and the other common headers on the responses of routes; `sendProblem()` sets them on errors. */
@Injectable()
export class RequestIdInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const http = context.switchToHttp();
    setCommonHeaders(http.getRequest(), http.getResponse());
    return next.handle();
  }
}
