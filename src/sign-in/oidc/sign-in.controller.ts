import { Controller, Get, Req, Res, UseFilters } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public } from '../../platform/http/scopes';
import { FailurePageFilter } from './failure-page.filter';
import { OidcSignIn } from './oidc-sign-in';

/** The two addresses that a browser visits: on the way to the issuer, and on the way back. */
@Controller('dashboard')
@Public()
@UseFilters(FailurePageFilter)
export class SignInController {
  constructor(private readonly signIn: OidcSignIn) {}

  /** With `prompt=none` the issuer asks nothing; the browser returns to `to`, an address below `/dashboard`. */
  @Get('sign-in')
  async begin(@Req() request: Request, @Res() response: Response): Promise<void> {
    const query = queryOf(request);
    const isSilent = query.get('prompt') === 'none';
    response.redirect(303, await this.signIn.begin(response, isSilent, query.get('to') ?? ''));
  }

  @Get('callback')
  async finish(@Req() request: Request, @Res() response: Response): Promise<void> {
    response.redirect(303, await this.signIn.finish(request, response, queryOf(request)));
  }
}

/** As it was sent: Express would turn brackets into objects. */
const queryOf = ({ url }: Request) => new URL(url, 'http://localhost').searchParams;
