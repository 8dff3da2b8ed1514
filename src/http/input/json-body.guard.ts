import { isUtf8 } from 'node:buffer';
import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  PayloadTooLargeException,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import { json, type Request, type Response } from 'express';
import { inviteBody } from '../expect-continue';
import { invalidInput } from '../fault';
import { parsedSize, parserErrorOf } from './parsed-body';

const malformed = () =>
  invalidInput(
    [{ field: 'body', code: 'invalid', message: 'must be JSON in UTF-8' }],
    'malformed_json',
    'The request body is not valid JSON.',
  );

const LIMIT = 64 * 1024;

const tooLarge = () => new PayloadTooLargeException('The request body must not exceed 64 KB.');

const parse = json({
  limit: LIMIT,
  inflate: false,
  strict: false, // a bare number is JSON too; the validation says that it is not an object
  type: () => true, // the media type has been judged before
  verify: (_request, _response, body) => {
    // No bytes would become {}, and a byte that is not UTF-8 would silently become U+FFFD.
    if (body.length === 0 || !isUtf8(body)) throw malformed();
  },
});

/**
 * Reads the body of a POST, PATCH or PUT: after the guard that asks for the token, so that a caller who may not has
 * uploaded nothing. An interceptor would come late enough too, but Nest makes observables of a route that has one.
 */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (request.method !== 'POST' && request.method !== 'PATCH' && request.method !== 'PUT') return true;
    return readJson(request, http.getResponse());
  }
}

async function readJson(request: Request, response: Response): Promise<true> {
  const [mediaType = '', ...parameters] = (request.headers['content-type'] ?? '').split(';');
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/i.exec(parameter)?.[1])
    .find(Boolean);
  if (
    mediaType.trim().toLowerCase() !== 'application/json' ||
    request.headers['content-encoding'] !== undefined ||
    (charset && charset.toLowerCase() !== 'utf-8')
  ) {
    throw new UnsupportedMediaTypeException(
      'The body must be application/json in UTF-8, without a Content-Encoding.',
    );
  }
  const refusal = parserErrorOf(request);
  if (refusal) throw failure(refusal);
  if (request.body !== undefined) {
    // An application has read it, by its own rules.
    const size = parsedSize(request);
    if (size > LIMIT) throw tooLarge();
    if (size === 0) throw malformed();
    return true;
  }
  // The parser would read to the end before it says so.
  if (Number(request.headers['content-length']) > LIMIT) throw tooLarge();
  inviteBody(request, response);
  await new Promise<void>((resolve, reject) => {
    parse(request, response, (error?: { status?: number }) => (error ? reject(failure(error)) : resolve()));
  });
  // express.json() leaves no body where there was none.
  if (request.body === undefined) throw malformed();
  return true;
}

/** What express.json() says, in our words: its own repeat a part of the body. */
function failure(error: { status?: number }): unknown {
  if (error.status === 413) return tooLarge();
  return error.status && error.status < 500 ? malformed() : error;
}
