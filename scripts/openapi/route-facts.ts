import { PATH_METADATA, ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import { type AnswerFacts, ANSWERS } from '../../src/http/answers';
import { factsOf } from '../../src/http/input/facts';
import type { Route } from '../../src/http/method-not-allowed';

/** What the route declares with `@Answers()`. */
export const factsOfRoute = ({ handler }: Route): AnswerFacts => Reflect.getMetadata(ANSWERS, handler) ?? {};

/** The facts of the query parameters that the route takes. */
export function queryFactsOf({ handler, controller }: Route): Record<string, object> {
  const declared: Record<string, { index: number }> =
    Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name) ?? {};
  const query = Object.entries(declared).find(([key]) => key.startsWith(`${RouteParamtypes.QUERY}:`));
  if (!query) return {};
  const types = Reflect.getMetadata('design:paramtypes', controller.prototype, handler.name);
  return factsOf(types[query[1].index].prototype);
}

/** The paths of the route's controller. The first is the canonical one. */
export const pathsOf = ({ controller }: Route): string[] =>
  [Reflect.getMetadata(PATH_METADATA, controller)].flat();

/** Whether the route repeats a canonical one below another path. Generators would make a second set of operations of these. */
export const isAlias = (route: Route) =>
  pathsOf(route).length > 1 && !`${route.path}/`.startsWith(`/${pathsOf(route)[0]}/`);
