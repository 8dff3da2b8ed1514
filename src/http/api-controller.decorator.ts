import {
  applyDecorators,
  Controller,
  type ExecutionContext,
  SetMetadata,
  UseFilters,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { ErrorFilter } from './error.filter';
import { JsonBodyInterceptor } from './json-body.interceptor';
import { NoQueryInterceptor } from './no-query.interceptor';
import { RequestIdInterceptor } from './request-id.interceptor';
import { ValidationPipe } from './validation.pipe';

const API_CONTROLLER = 'ums:api-controller';

/** A controller of this service: the guards judge it, and it reads, validates and fails the way the contract says. */
export const ApiController = (...paths: string[]) =>
  applyDecorators(
    Controller(paths),
    SetMetadata(API_CONTROLLER, true),
    UseInterceptors(RequestIdInterceptor, JsonBodyInterceptor, NoQueryInterceptor),
    UsePipes(ValidationPipe),
    UseFilters(ErrorFilter),
  );

/** Whether a request goes to one; the global guards leave everything else alone. */
export const isApiController = (context: ExecutionContext): boolean =>
  Reflect.getMetadata(API_CONTROLLER, context.getClass()) === true;
