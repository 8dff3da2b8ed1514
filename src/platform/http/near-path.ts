import type { Request } from 'express';
import { NO_ROUTE } from './problem';

/** The methods of each path, such as `/api/v1/users/:id`. */
type Paths = ReadonlyMap<string, ReadonlySet<string>>;

const ID = /:(id|\w+Id)\b/g;

const VERSION = '/api/v1';
const ELSEWHERE = /^(\/(?:api|v1)\/([\w-]+))(?:\/|$)/;

/**
 * The detail of a 404 whose path is nearly one of these: with an id that is empty, as if a variable of a script was not
 * set, or with a part of `/api/v1` missing. Undefined for any other path.
 */
export function nearPath(paths: Paths): (request: Request) => string | undefined {
  const withId = [...paths]
    .filter(([path]) => path.search(ID) >= 0)
    .map(([path, methods]) => ({
      methods,
      template: path.replace(ID, '{$1}'),
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(ID, '[^/]*')}$`),
    }));

  return ({ path, method, baseUrl }) => {
    const near = withId.find(({ pattern, methods }) => methods.has(method) && pattern.test(path));
    if (near) return `${NO_ROUTE} The id is missing in ${baseUrl}${near.template}.`;
    const [, start, collection] = ELSEWHERE.exec(path) ?? [];
    const known = `${VERSION}/${collection}`;
    if (start === undefined || paths.has(start) || !paths.has(known)) return undefined;
    return `${NO_ROUTE} Did you mean ${baseUrl}${known}?`;
  };
}
