import type { InjectionToken } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import type { Response } from 'express';
import { databaseFailure } from '../../platform/database/errors';
import { unavailable } from '../../platform/http/fault';
import { RETRY_AFTER_UNAVAILABLE, UNAVAILABLE } from '../../platform/http/problem';

/** What the module of the service has, for a route of any module of the host. */
export function ofService<Provided>(modules: ModuleRef, token: InjectionToken): Provided {
  try {
    return modules.get<Provided>(token, { strict: false });
  } catch (cause) {
    throw new Error('This application has no UserManagementModule, which the route requires.', { cause });
  }
}

/** Turns the error of an unavailable database into a 503. A filter of the host would make a 500 of it. */
export function rethrowUnavailable(response: Response): (error: unknown) => never {
  return (error) => {
    if (databaseFailure(error) !== 'unavailable') throw error;
    response.setHeader('Retry-After', RETRY_AFTER_UNAVAILABLE);
    throw unavailable(UNAVAILABLE, { cause: error });
  };
}
