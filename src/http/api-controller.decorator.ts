import { applyDecorators, Controller, UseFilters, UseInterceptors, UsePipes } from '@nestjs/common';
import { ErrorFilter } from './error.filter';
import { JsonBodyInterceptor } from './json-body.interceptor';
import { NoQueryInterceptor } from './no-query.interceptor';
import { RequestIdInterceptor } from './request-id.interceptor';
import { ValidationPipe } from './validation.pipe';

/** A controller of this service: it reads, validates and fails the way the contract says. */
export const ApiController = (...paths: string[]) =>
  applyDecorators(
    Controller(paths),
    UseInterceptors(RequestIdInterceptor, JsonBodyInterceptor, NoQueryInterceptor),
    UsePipes(ValidationPipe),
    UseFilters(ErrorFilter),
  );
