import { applyDecorators, Controller, UseFilters, UseGuards, UsePipes } from '@nestjs/common';
import { ErrorFilter } from './error.filter';
import { JsonBodyGuard } from './json-body.guard';
import { NoQueryGuard } from './no-query.guard';
import { ValidationPipe } from './validation.pipe';

/** A controller of this service: it reads, validates and fails the way the contract says. */
export const ApiController = (...paths: string[]) =>
  applyDecorators(
    Controller(paths),
    UseGuards(JsonBodyGuard, NoQueryGuard),
    UsePipes(ValidationPipe),
    UseFilters(ErrorFilter),
  );
