import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';

/** The guards that judge a request, in their order. */
export const GUARDS = Symbol('user management guards');

const passed = new WeakSet<object>();

/**
 * All that stands between a caller and a route. It asks for a symbol and not for the guards, so that any controller can
 * use it, one of an application too; and counts a request once, though class and method both want it.
 */
@Injectable()
export class TokenGuard implements CanActivate {
  constructor(@Inject(GUARDS) private readonly guards: CanActivate[]) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<object>();
    if (passed.has(request)) return true;
    for (const guard of this.guards) {
      if (!(await guard.canActivate(context))) return false;
    }
    passed.add(request);
    return true;
  }
}
