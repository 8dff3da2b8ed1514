import { isObject } from '../../platform/http/input/checks';
import {
  applyDecorators,
  type CallHandler,
  Controller,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type PipeTransform,
  type ArgumentMetadata,
  UseGuards,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import type { Response } from 'express';
import { type Fault, invalidInput } from '../../platform/http/fault';
import { HoldBodies } from '../../platform/http/input/held-body';
import { JsonBodyGuard } from '../../platform/http/input/json-body.guard';
import { jsonFaults, MAX_FAULTS } from '../../platform/http/input/json-faults';
import { invalidSyntax } from '../schema/scim-error';

import { ROOTS } from './base';
import { SCIM_TYPE } from './scim-format';

@Injectable()
class ScimTypeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    context.switchToHttp().getResponse<Response>().setHeader('Content-Type', `${SCIM_TYPE}; charset=utf-8`);
    return next.handle();
  }
}

/** Refuses what no body may contain. SCIM ignores unknown attributes, so there is no DTO. */
@Injectable()
class ScimBodyPipe implements PipeTransform {
  transform(value: unknown, { type }: ArgumentMetadata): unknown {
    if (type !== 'body') return value;
    if (!isObject(value)) throw invalidSyntax('The body must be an object');
    const faults: Fault[] = [];
    for (const key of Object.keys(value)) {
      faults.push(...jsonFaults(key, value[key]));
      if (faults.length >= MAX_FAULTS) break;
    }
    if (faults.length > 0) throw invalidInput(faults);
    return value;
  }
}

/** A controller below the roots of SCIM. */
export const ScimController = () =>
  applyDecorators(
    Controller([...ROOTS]),
    UseGuards(JsonBodyGuard),
    HoldBodies(),
    UseInterceptors(ScimTypeInterceptor),
    UsePipes(ScimBodyPipe),
  );
