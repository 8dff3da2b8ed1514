import { createParamDecorator, type ExecutionContext, Injectable, type PipeTransform } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import { areSuspended } from '../../organizations/suspension';
import { Database } from '../../platform/database/database';
import { forbidden, organizationSuspended, unauthorized } from '../../platform/http/fault';
import type { UserRecord } from '../../users/user/user.view';
import { UsersService } from '../../users/users.service';
import { ofService, rethrowUnavailable } from './host-route';
import { type HostSettings, OPTIONS } from './options';
import { SERVICE } from './service';

const found = new WeakMap<Request, Promise<UserRecord>>();

/** Finds the user of a request once. Throws a 401 or 403 unless it is an active one of an organization that may act. */
@Injectable()
class CurrentUserPipe implements PipeTransform<Request, Promise<UserRecord>> {
  constructor(private readonly modules: ModuleRef) {}

  transform(request: Request): Promise<UserRecord> {
    const user = found.get(request) ?? this.find(request);
    found.set(request, user);
    return user;
  }

  private async find(request: Request): Promise<UserRecord> {
    const { currentUser } = ofService<HostSettings>(this.modules, OPTIONS);
    if (!currentUser) throw new Error('@CurrentUser() requires the option currentUser.');
    const person = await currentUser(request);
    if (!person) throw unauthorized('You are not signed in.');
    const { organizationId, externalId } = person;
    // Not a fault of the request, as the service would say.
    if (!isId(organizationId) || !isId(externalId))
      throw new Error('The option currentUser must give null, or an organizationId and an externalId.');
    const service = ofService<NestExpressApplication>(this.modules, SERVICE);
    const [user, isSuspended] = await Promise.all([
      service.get(UsersService).find(organizationId, { externalId }),
      areSuspended(service.get(Database), [organizationId]),
    ]).catch(rethrowUnavailable(request.res!));
    if (isSuspended) throw organizationSuspended();
    if (!user) throw forbidden('unknown_user', 'You are no user of this organization.');
    if (!user.active) throw forbidden('inactive_user', 'Your user is not active.');
    return user;
  }
}

const isId = (value: unknown) => typeof value === 'string' && value !== '';

const CurrentRequest = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<Request>(),
);

/** The user whom the option `currentUser` names for the request, for a route that requires no token. */
export const CurrentUser = () => CurrentRequest(CurrentUserPipe);
