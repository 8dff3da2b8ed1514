import {
  Body,
  ForbiddenException,
  Get,
  HttpCode,
  Inject,
  Post,
  Req,
  Res,
  UnauthorizedException,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiController } from '../http/api-controller.decorator';
import { OptionalBody } from '../http/input/optional-body';
import { requestIdOf } from '../http/request-id';
import { Public } from '../http/scopes';
import { CreateSessionDto } from './session.dto';
import { SessionsService } from './sessions.service';
import { type SignInState, VISITORS, type Visitors } from './source/sign-in-source';

/**
 * What the page asks about signing in. It is the dashboard's own, and no part of the API: OpenAPI does not have it, and it may change
 * with the page. A cookie counts here alone; the API accepts none.
 */
@ApiController('dashboard/session')
@Public()
export class SessionController {
  constructor(
    @Inject(VISITORS) private readonly visitors: Visitors,
    private readonly sessions: SessionsService,
  ) {}

  @Get()
  state(@Req() request: Request): Promise<SignInState> {
    return this.visitors.state(request);
  }

  /** Hands out the value of a new token, once for each sign-in; or the organizations, if there are several to choose from. */
  @Post()
  @OptionalBody()
  @HttpCode(201)
  async create(
    @Body() { organizationId }: CreateSessionDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    if (!this.visitors.isOwnOrigin(request))
      throw new ForbiddenException('Only the dashboard itself may open a session.');
    const visitor = await this.visitors.find(request);
    if (!visitor) throw notSignedIn(response);
    const grant = this.sessions.choose(visitor, organizationId);
    if (!grant) {
      response.status(200);
      return { organizations: await this.sessions.choices(visitor) };
    }
    if (!(await this.visitors.claim(visitor, response))) throw notSignedIn(response);
    const { token, value } = await this.sessions.create(visitor, grant, requestIdOf(request));
    return { ...token, token: value, signOutUrl: await this.visitors.signOutUrl(visitor) };
  }
}

function notSignedIn(response: Response): UnauthorizedException {
  response.setHeader('WWW-Authenticate', 'Bearer');
  return new UnauthorizedException('You are not signed in. Sign in again.');
}
