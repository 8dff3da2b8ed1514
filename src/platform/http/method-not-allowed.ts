import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/internal';
import type { NextFunction, Request, Response } from 'express';
import { nearPath } from './near-path';
import { sendProblem } from './problem';

const CHOICE = new Intl.ListFormat('en', { type: 'disjunction' });

/**
 * A middleware that answers other methods on the paths of these controllers with 405 and `Allow`, and paths that are
 * nearly theirs with a 404 that says so. It precedes the routes, so it requires no token. Literal paths take
 * precedence, so that `POST …/current` is not taken for an id.
 */
export function refuseOtherMethods(controllers: Function[]) {
  const methods = methodsByPath(controllers);
  const nearRoute = nearPath(methods);
  const paths = [...methods];
  const literal = new Map(paths.map(([path, methods]) => [path, { path, methods }]));
  const templates = paths
    .filter(([path]) => path.includes(':'))
    .map(([path, methods]) => ({
      path,
      methods,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`),
    }));

  return (request: Request, response: Response, next: NextFunction) => {
    const served = literal.get(request.path) ?? templates.find(({ pattern }) => pattern.test(request.path));
    if (!served) {
      const detail = nearRoute(request);
      return detail === undefined ? next() : sendProblem(request, response, { status: 404, detail });
    }
    if (served.methods.has(request.method) || served.methods.has('ALL')) return next();
    if (!isDecodable(request.path)) return next(); // unknown: the router answers it with 404
    request.route = { path: served.path }; // for the access log, because the path is known
    response.setHeader('Allow', [...served.methods].join(', '));
    const detail = `Method not allowed. Use ${CHOICE.format(served.methods)}.`;
    sendProblem(request, response, { status: 405, detail });
  };
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
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
        for (const below of [Reflect.getMetadata(PATH_METADATA, handler)].flat()) {
          const path = `/${base}/${below}`.replace(/\/+/g, '/').replace(/(?<=.)\/$/, '');
          yield { path, method: RequestMethod[method], handler, controller };
        }
      }
    }
  }
}
