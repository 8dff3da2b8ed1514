import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { setCommonHeaders } from './request-id';

/** Sets X-Request-ID and the API's headers on what a route answers; `sendProblem()` sets them on what is refused. */
@Injectable()
export class RequestIdInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const http = context.switchToHttp();
    setCommonHeaders(http.getRequest(), http.getResponse());
    return next.handle();
  }
}
