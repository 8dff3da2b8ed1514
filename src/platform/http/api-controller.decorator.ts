import { applyDecorators, Controller, UseGuards, UsePipes } from '@nestjs/common';
import { HoldBodies } from './input/held-body';
import { InputPipe } from './input/input.pipe';
import { JsonBodyGuard } from './input/json-body.guard';
import { NoQueryGuard } from './input/no-query.guard';

/** A controller of this service. Its input is read after the global guards and checked before the handler runs. */
export const ApiController = (...paths: string[]) =>
  applyDecorators(
    Controller(paths),
    UseGuards(JsonBodyGuard, NoQueryGuard),
    HoldBodies(),
    UsePipes(InputPipe),
  );
