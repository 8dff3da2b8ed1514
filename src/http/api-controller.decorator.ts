import {
  applyDecorators,
  Controller,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { TokenGuard } from '../auth/token.guard';
import { ErrorFilter } from './error.filter';
import { JsonBodyInterceptor } from './json-body.interceptor';
import { NoQueryInterceptor } from './no-query.interceptor';
import { RequestIdInterceptor } from './request-id.interceptor';
import { ValidationPipe } from './validation.pipe';

/** A controller of this service: it wants a token, and reads, validates and fails the way the contract says. */
export const ApiController = (...paths: string[]) =>
  applyDecorators(
    Controller(paths),
    // Here too, so that a route which names no scope is for admins and not for everybody.
    UseGuards(TokenGuard),
    UseInterceptors(RequestIdInterceptor, JsonBodyInterceptor, NoQueryInterceptor),
    UsePipes(ValidationPipe),
    UseFilters(ErrorFilter),
  );
