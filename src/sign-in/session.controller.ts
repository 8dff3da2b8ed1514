import { Body, Get, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiController } from '../platform/http/api-controller.decorator';
import { OptionalBody } from '../platform/http/input/body-of-route';
import { requestIdOf } from '../platform/http/request-id';
import { Public } from '../platform/http/scopes';
import { CreateSessionDto } from './session.dto';
import { CurrentPerson, notSignedIn, SessionGuard } from './session.guard';
import { SessionsService } from './sessions.service';
import { type SignedInPerson, SignInSource, type SignInStatus } from './source/sign-in-source';

/**
 * The routes by which the page signs in. They belong to the dashboard, not to the API: OpenAPI does not list them, and
 * they may change with the page. Only here does a cookie count; the API accepts none.
 */
@ApiController('dashboard/session')
@Public()
@UseGuards(SessionGuard) // runs before the guards of @ApiController()
export class SessionController {
  constructor(
    private readonly source: SignInSource,
    private readonly sessions: SessionsService,
  ) {}

  @Get()
  status(@Req() request: Request): Promise<SignInStatus> {
    return this.source.status(request);
  }

  /** Returns the value of a new token, once for each sign-in, or the organizations if there are several. */
  @Post()
  @OptionalBody()
  @HttpCode(201)
  async create(
    @Body() { organizationId }: CreateSessionDto,
    @CurrentPerson() person: SignedInPerson,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const organization = this.sessions.choose(person, organizationId);
    await this.sessions.requireOpen(organization ? [organization] : person.organizations);
    if (!organization) {
      response.status(200);
      return { organizations: await this.sessions.choices(person) };
    }
    if (!(await this.source.consume(person, response))) throw notSignedIn(response);
    const { token, value } = await this.sessions.create(person, organization, requestIdOf(request));
    return { ...token, token: value, signOutUrl: await this.source.signOutUrl(person) };
  }
}
