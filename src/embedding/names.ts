import { type ExecutionContext, Inject, SetMetadata, type Type } from '@nestjs/common';

const DIRECTORY = 'ums:directory';

/** What a module provides under its class or symbol if the module has no name, and under a token of its own if it has one. */
export const injectionToken = (provided: Type | symbol, name?: string): Type | symbol | string => {
  if (name === undefined) return provided;
  return `${name}: ${typeof provided === 'symbol' ? provided.description : provided.name}`;
};

/** The injection token of a service of the `UserManagementModule` with this name, for `app.get()` and tests. */
export const getUserManagementToken = (service: Type, name?: string) => injectionToken(service, name);

/** Injects a service of the `UserManagementModule` with this name. Without a name, inject the service by its class. */
export const InjectUserManagement = (service: Type, name: string): ParameterDecorator & PropertyDecorator =>
  Inject(getUserManagementToken(service, name));

/** The route, or every route of the controller, takes tokens of the `UserManagementModule` with this name. */
export const TokensOf = (name: string) => SetMetadata(DIRECTORY, name);

/** The name of the module whose tokens a route takes. A declaration on the method overrides one on the class. */
export const directoryOf = (context: ExecutionContext): string | undefined =>
  Reflect.getMetadata(DIRECTORY, context.getHandler()) ?? Reflect.getMetadata(DIRECTORY, context.getClass());
