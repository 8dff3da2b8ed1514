import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { identify, setApiHeaders } from './request-id';

/** Gives a handled request its id and its response the headers of the API, in a host application too. */
@Injectable()
export class RequestIdInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const http = context.switchToHttp();
    identify(http.getRequest(), http.getResponse());
    setApiHeaders(http.getResponse());
    return next.handle();
  }
}
