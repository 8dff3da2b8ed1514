import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { invalidInput } from '../fault';
import { formatOf } from '../wire-format';
import { bodyLimitOf, bodyTypesOf, DEFAULT_BODY_LIMIT, isBodyOptional } from './body-of-route';
import { keepHash } from './idempotency-key';
import { excessOf } from './json-size';
import { readBody, requireType, sizeReadByHost } from './read-body';

const malformed = () =>
  invalidInput(
    [{ field: 'body', code: 'invalid', message: 'must be JSON in UTF-8' }],
    'malformed_json',
    'The request body is not valid JSON.',
  );

const tooMany = (limit: string) =>
  invalidInput([{ field: 'body', code: 'too_many', message: `must have at most ${limit}` }]);

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Any JSON value; the validation reports one that is not an object. */
function parse(body: Buffer): unknown {
  // Smaller bodies cannot exceed the limits.
  const excess = body.length > DEFAULT_BODY_LIMIT ? excessOf(body) : undefined;
  if (excess) throw tooMany(excess);
  try {
    return JSON.parse(decoder.decode(body));
  } catch {
    throw malformed();
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
  const size = sizeReadByHost(request, limit, malformed);
  if (size === 0) throw malformed();
  if (size !== undefined) return true;
  const bytes = await readBody(request, response, limit);
  request.body = parse(bytes);
  keepHash(request, bytes);
  return true;
}
