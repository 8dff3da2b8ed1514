import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PAGE_HEADERS, stylesheet } from '../../dashboard/dashboard.files';
import { escapeHtml } from '../../dashboard/html';
import { databaseFailure } from '../../platform/database/errors';
import { isRefusal, logFailure } from '../../platform/http/error.filter';
import { recordRefusal } from '../../platform/http/caller';
import { RETRY_AFTER_UNAVAILABLE, UNAVAILABLE } from '../../platform/http/problem';
import { requestIdOf, setCommonHeaders } from '../../platform/http/request-id';
import { SignInFailure } from './sign-in-failure';

/** Answers every failure with a page, because a person sees it. */
@Catch()
export class FailurePageFilter implements ExceptionFilter {
  private readonly logger = new Logger('SignIn');

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const failure = error instanceof SignInFailure ? error : this.unexpected(error, requestIdOf(request));
    if (failure.status === 429) recordRefusal(request, 'rate_limited');
    setCommonHeaders(request, response);
    const retryAfter =
      failure.retryAfter?.toString() ?? (failure.status === 503 ? RETRY_AFTER_UNAVAILABLE : undefined);
    if (retryAfter !== undefined) response.set('Retry-After', retryAfter);
    response.status(failure.status).set(PAGE_HEADERS).type('html').send(failurePage(failure));
  }

  private unexpected(error: unknown, requestId: string): SignInFailure {
    logFailure(this.logger, requestId, error);
    return databaseFailure(error) === 'unavailable' || isRefusal(error)
      ? new SignInFailure(503, 'The service does not answer', UNAVAILABLE)
      : new SignInFailure(500, 'Something went wrong', 'The sign-in has failed.', [
          `Request id: ${requestId}`,
        ]);
  }
}

/** A page that says why somebody could not sign in, without scripts. Its links are relative to `/dashboard/`. */
function failurePage({ title, message, forAdministrator = [] }: SignInFailure): string {
  const note = forAdministrator.map((line) => `<p>${escapeHtml(line)}</p>`).join('');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="robots" content="noindex" />
    <title>${escapeHtml(title)} · User Management Service</title>
    <link rel="stylesheet" href="${stylesheet()}" />
  </head>
  <body>
    <main class="sign-in">
      <h1>${escapeHtml(title)}</h1>
      <p>${escapeHtml(message)}</p>
      ${note && `<div class="card">${note}</div>`}
      <p><a href="sign-in">Try again</a> or <a href="../dashboard">use an API token</a></p>
    </main>
  </body>
</html>
`;
}
