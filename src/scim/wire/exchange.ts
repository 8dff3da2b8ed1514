import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Caller, callerIn } from '../../platform/http/caller';
import {
  freshness,
  type Precondition,
  preconditionOf,
  weakEntityTag,
} from '../../platform/http/input/entity-tags';
import { Projection } from './projection';
import type { ResourceSchema } from '../schema/resource-schema';
import { baseOf } from './base';

/** The caller and the parts of a request that the routes of users and groups read, and the headers that they set. */
export class Exchange {
  /** The absolute URL of the root of SCIM. */
  readonly base: string;

  constructor(
    readonly by: Caller,
    readonly request: Request,
    readonly response: Response,
  ) {
    this.base = baseOf(request);
  }

  get query(): Record<string, unknown> {
    return this.request.query;
  }

  /** The attributes that the query asks for. */
  projection(schema: ResourceSchema): Projection {
    return new Projection(schema, this.query);
  }

  /** The conditions of a write. `REQUIRE_IF_MATCH` does not apply to directories. */
  precondition(what: string): Precondition {
    return preconditionOf(this.request, what);
  }

  /** Tells whether the caller has a version already. */
  freshness(): (version: number) => boolean {
    return freshness(this.request);
  }

  setVersion(version: number): void {
    this.response.setHeader('ETag', weakEntityTag(version));
  }

  setLocation(path: string): void {
    this.response.setHeader('Location', this.base + path);
  }
}

export const CurrentExchange = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  return new Exchange(callerIn(context), http.getRequest<Request>(), http.getResponse<Response>());
});
