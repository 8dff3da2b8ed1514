import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { readOnBehalfOf } from '../platform/http/caller';
import { DEFAULT_BODY_LIMIT, sizeInWords } from '../platform/http/input/body-of-route';
import { refuseKey } from '../platform/http/input/idempotency-key';
import { readBody, requireType, sizeReadByHost } from '../platform/http/input/read-body';
import { NetworkLimiter } from '../platform/rate-limit/network-limiter';
import { FAILURES } from './failure.filter';
import type { TokenForm } from './grant';
import { TOKEN_FIELDS } from './grants';
import { oauthFailure } from './oauth-failure';
import { OAUTH_FORMAT } from './oauth-format';

/** A form of more fields is refused before it is parsed, which would take 20 ms for those of 64 KB. */
const MAX_FIELDS = 50;

/** Only an assertion may be as long as any body. */
const MAX_WITHOUT_ASSERTION = 16 * 1024;

/** A network over its limit may still be right, but not at length. */
const MAX_OF_BLOCKED = 8 * 1024;

const invalid = (description: string) => oauthFailure('invalid_request', description);
const malformed = () => invalid('The request body must be a form in UTF-8.');
const tooManyFields = () => invalid(`The form must have at most ${MAX_FIELDS} fields.`);

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reads the form of a token request. */
@Injectable()
export class FormGuard implements CanActivate {
  constructor(private readonly limiter: NetworkLimiter) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    refuseKey(request);
    readOnBehalfOf(request);
    requireType(request, OAUTH_FORMAT.bodyTypes);
    const limit = this.limiter.isBlocked(request.ip, FAILURES) ? MAX_OF_BLOCKED : DEFAULT_BODY_LIMIT;
    const { size, pairs } =
      readByHost(request, limit) ?? (await readForm(request, http.getResponse<Response>(), limit));
    const form = formOf(pairs);
    if (form.assertion === undefined && size > MAX_WITHOUT_ASSERTION)
      throw invalid(`A form without an assertion must not exceed ${sizeInWords(MAX_WITHOUT_ASSERTION)}.`);
    request.body = form;
    return true;
  }
}

/** A form with its size in bytes. */
interface SentForm {
  size: number;
  pairs: Iterable<[string, unknown]>;
}

function readByHost(request: Request, limit: number): SentForm | undefined {
  const size = sizeReadByHost(request, limit, malformed);
  if (size === undefined) return undefined;
  const pairs = Object.entries(Object(request.body));
  if (pairs.length > MAX_FIELDS) throw tooManyFields();
  return { size, pairs };
}

async function readForm(request: Request, response: Response, limit: number): Promise<SentForm> {
  const body = await readBody(request, response, limit);
  if (body.toString('latin1').split('&', MAX_FIELDS + 1).length > MAX_FIELDS) throw tooManyFields();
  try {
    return { size: body.length, pairs: new URLSearchParams(decoder.decode(body)) };
  } catch {
    throw malformed();
  }
}

/** A parser of a host application makes a list of a field that stands twice. */
function formOf(pairs: Iterable<[string, unknown]>): TokenForm {
  const names = new Set<string>();
  const form: TokenForm = {};
  for (const [name, value] of pairs) {
    if (names.has(name) || Array.isArray(value)) throw invalid('A field must not stand twice.');
    names.add(name);
    const field = TOKEN_FIELDS.find((known) => known === name);
    if (field === undefined || value === '') continue;
    if (typeof value !== 'string') throw malformed();
    form[field] = value;
  }
  return form;
}
