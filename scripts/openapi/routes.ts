import { PATH_METADATA, ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import { RESPONSES, type ResponsesOfRoute } from '../../src/http/responses';
import type { Route } from '../../src/http/method-not-allowed';
import { type Field, fieldsOf } from './constraints';

/** What the route declares with `@Responses()`. */
export const responsesOf = ({ handler }: Route): ResponsesOfRoute =>
  Reflect.getMetadata(RESPONSES, handler) ?? {};

/** The query parameters that the route takes. */
export function queryFieldsOf({ handler, controller }: Route): Record<string, Field> {
  const declared: Record<string, { index: number }> =
    Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name) ?? {};
  const query = Object.entries(declared).find(([key]) => key.startsWith(`${RouteParamtypes.QUERY}:`));
  if (!query) return {};
  const types = Reflect.getMetadata('design:paramtypes', controller.prototype, handler.name);
  return fieldsOf(types[query[1].index]);
}

/** The paths of the route's controller. The first is the canonical one. */
export const pathsOf = ({ controller }: Route): string[] =>
  [Reflect.getMetadata(PATH_METADATA, controller)].flat();

/** Whether the route repeats a canonical one below another path. Generators would make a second set of operations of these. */
export const isAlias = (route: Route) =>
  pathsOf(route).length > 1 && !`${route.path}/`.startsWith(`/${pathsOf(route)[0]}/`);
