import { isUtf8 } from 'node:buffer';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { invalidInput } from '../fault';
import { formatOf } from '../wire-format';
import { bodyLimitOf, bodyTypesOf, DEFAULT_BODY_LIMIT, isBodyOptional } from './body-of-route';
import { keepHash } from './idempotency-key';
import { faultIn } from './json-position';
import { excessOf } from './json-size';
import { parserErrorOf } from './parsed-body';
import { readBody, requireType, sizeReadByHost } from './read-body';

const malformed = (message: string) =>
  invalidInput(
    [{ field: 'body', code: 'invalid', message: 'must be JSON in UTF-8' }],
    'malformed_json',
    message,
  );

/** Says where the text is wrong, without quoting it. */
async function notJson(text: string): Promise<Error> {
  if (text.trim() === '') return malformed('The request body is empty.');
  const fault = await faultIn(text);
  if (!fault) return malformed(NOT_JSON); // the parser of a host may refuse JSON that is no object
  const place = `line ${fault.line}, column ${fault.column}`;
  return malformed(
    fault.isEnd
      ? `The request body is not valid JSON: it ends too early, at ${place}.`
      : `The request body is not valid JSON at ${place}.`,
  );
}

const NOT_JSON = 'The request body is not valid JSON.';

const tooMany = (limit: string) =>
  invalidInput([{ field: 'body', code: 'too_many', message: `must have at most ${limit}` }]);

/** Removes a byte order mark. */
const decoder = new TextDecoder();

/** Any JSON value; the validation reports one that is not an object. */
async function parse(body: Buffer): Promise<unknown> {
  // Smaller bodies cannot exceed the limits.
  const excess = body.length > DEFAULT_BODY_LIMIT ? excessOf(body) : undefined;
  if (excess) throw tooMany(excess);
  if (!isUtf8(body)) throw malformed('The request body is not UTF-8.');
  const text = decoder.decode(body);
  try {
    return JSON.parse(text);
  } catch {
    throw await notJson(text);
  }
}

/**
 * Reads the body of a POST, PATCH or PUT after the global guards, so that callers without permission cannot upload
 * anything, and before the pipes, which validate it.
 */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (request.method !== 'POST' && request.method !== 'PATCH' && request.method !== 'PUT') return true;
    const handler = context.getHandler();
    if (isBodyOptional(handler) && hasNoBody(request)) {
      request.body = {};
      return true;
    }
    const types = bodyTypesOf(handler);
    requireType(request, types ? Object.keys(types) : formatOf(request).bodyTypes);
    return readJson(request, http.getResponse(), bodyLimitOf(handler));
  }
}

/** Whether the request neither has a body nor claims to have one. */
const hasNoBody = ({ headers }: Request) =>
  headers['content-type'] === undefined &&
  headers['content-encoding'] === undefined &&
  headers['transfer-encoding'] === undefined &&
  Number(headers['content-length'] ?? 0) === 0;

async function readJson(request: Request, response: Response, limit: number): Promise<true> {
  const refused = parserErrorOf(request)?.body; // the text that the parser of a host has refused
  if (typeof refused === 'string') throw await notJson(refused);
  const size = sizeReadByHost(request, limit, () => malformed(NOT_JSON));
  if (size === 0) throw await notJson('');
  if (size !== undefined) return true;
  const bytes = await readBody(request, response, limit);
  request.body = await parse(bytes);
  keepHash(request, bytes);
  return true;
}
