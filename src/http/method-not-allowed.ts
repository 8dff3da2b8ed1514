import { type MiddlewareConsumer, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/internal';
import type { NextFunction, Request, Response } from 'express';
import { sendProblem } from './problem';

/**
 * Makes the paths of these controllers answer 405 with `Allow` to methods they do not serve. It stands before the
 * routes, so it needs no token, and literal paths come first, so that `DELETE …/current` is not taken for an id.
 */
export function refuseOtherMethods(consumer: MiddlewareConsumer, controllers: Function[]): void {
  const routes = [...methodsByPath(controllers)].sort(
    ([a], [b]) => Number(a.includes(':')) - Number(b.includes(':')),
  );
  for (const [path, methods] of routes) {
    const allow = [...methods].join(', ');
    consumer
      .apply((request: Request, response: Response, next: NextFunction) => {
        if (methods.has(request.method)) return next();
        response.setHeader('Allow', allow);
        sendProblem(request, response, { status: 405, detail: `Method not allowed. Use ${allow}.` });
      })
      .forRoutes({ path, method: RequestMethod.ALL });
  }
}

function methodsByPath(controllers: Function[]): Map<string, Set<string>> {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of routesOf(controllers)) {
    const served = methods.get(path) ?? new Set();
    served.add(method);
    if (method === 'GET') served.add('HEAD');
    methods.set(path, served);
  }
  return methods;
}

export interface Route {
  path: string;
  method: string;
  handler: Function;
  controller: Function;
}

/** Every route that controllers declare. */
export function* routesOf(controllers: Function[]): Generator<Route> {
  for (const controller of controllers) {
    for (const name of Object.getOwnPropertyNames(controller.prototype)) {
      const handler = controller.prototype[name];
      const method: RequestMethod | undefined = Reflect.getMetadata(METHOD_METADATA, handler);
      if (method === undefined) continue;
      for (const base of [Reflect.getMetadata(PATH_METADATA, controller)].flat()) {
        const path = `/${base}/${Reflect.getMetadata(PATH_METADATA, handler)}`
          .replace(/\/+/g, '/')
          .replace(/(?<=.)\/$/, '');
        yield { path, method: RequestMethod[method], handler, controller };
      }
    }
  }
}
