import { PATH_METADATA, ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import { bodyTypesOf } from '../../src/platform/http/input/body-of-route';
import { RESPONSES, type ResponsesOfRoute } from '../../src/platform/http/responses';
import type { Route } from '../../src/platform/http/method-not-allowed';
import { type Field, fieldsOf } from './constraints';

/** The declarations of the route's `@Responses()`. */
export const responsesOf = ({ handler }: Route): ResponsesOfRoute =>
  Reflect.getMetadata(RESPONSES, handler) ?? {};

/** The DTO of a parameter of the route's method. */
function dtoOf({ handler, controller }: Route, kind: RouteParamtypes): Function | undefined {
  const parameters: Record<string, { index: number }> =
    Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name) ?? {};
  const found = Object.entries(parameters).find(([key]) => key.startsWith(`${kind}:`));
  if (!found) return undefined;
  return Reflect.getMetadata('design:paramtypes', controller.prototype, handler.name)[found[1].index];
}

/** The query parameters that the route takes. */
export function queryFieldsOf(route: Route): Record<string, Field> {
  const dto = dtoOf(route, RouteParamtypes.QUERY);
  return dto ? fieldsOf(dto) : {};
}

/** The DTOs of the bodies that the routes take. */
export const bodiesOf = (routes: Route[]): Function[] => [
  ...new Set(
    routes.flatMap((route) => [
      ...[dtoOf(route, RouteParamtypes.BODY) ?? []].flat(),
      ...Object.values(bodyTypesOf(route.handler) ?? {}),
    ]),
  ),
];

/** The paths of the route's controller. The first is the canonical one. */
export const pathsOf = ({ controller }: Route): string[] =>
  [Reflect.getMetadata(PATH_METADATA, controller)].flat();

/**
 * Whether the route repeats a canonical one below another path. Generators would make a second set of operations of
 * these.
 */
export const isAlias = (route: Route) =>
  pathsOf(route).length > 1 && !`${route.path}/`.startsWith(`/${pathsOf(route)[0]}/`);
