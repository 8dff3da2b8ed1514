import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  PayloadTooLargeException,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import { raw, type Request, type Response } from 'express';
import { sendContinue } from '../server/expect-continue';
import { invalidInput } from '../fault';
import { formatOf } from '../wire-format';
import { bodyLimitOf, DEFAULT_BODY_LIMIT, sizeInWords } from './body-limit';
import { readWithinMemory } from './held-body';
import { keepHash } from './idempotency-key';
import { excessOf } from './json-size';
import { isBodyOptional } from './optional-body';
import { parsedSize, parserErrorOf } from './parsed-body';

const malformed = () =>
  invalidInput(
    [{ field: 'body', code: 'invalid', message: 'must be JSON in UTF-8' }],
    'malformed_json',
    'The request body is not valid JSON.',
  );

const tooLarge = (limit: number) =>
  new PayloadTooLargeException(`The request body must not exceed ${sizeInWords(limit)}.`);

const tooMany = (limit: string) =>
  invalidInput([{ field: 'body', code: 'too_many', message: `must have at most ${limit}` }]);

/** Of the bytes alone: they are parsed when there is memory for it. */
const readerOf = (limit: number) => raw({ limit, inflate: false, type: () => true });

/** The reader of each limit. */
const readers = new Map<number, ReturnType<typeof readerOf>>();

function readerFor(limit: number): ReturnType<typeof readerOf> {
  const reader = readers.get(limit) ?? readerOf(limit);
  readers.set(limit, reader);
  return reader;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Any JSON value; the validation reports one that is not an object. */
function parse(body: Buffer): unknown {
  // Smaller bodies have no room for as much.
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
    if (isBodyOptional(context.getHandler()) && hasNoBody(request)) {
      request.body = {};
      return true;
    }
    return readJson(request, http.getResponse(), bodyLimitOf(context.getHandler()));
  }
}

/** Whether the request neither has a body nor claims to have one. */
const hasNoBody = ({ headers }: Request) =>
  headers['content-type'] === undefined &&
  headers['content-encoding'] === undefined &&
  headers['transfer-encoding'] === undefined &&
  Number(headers['content-length'] ?? 0) === 0;

async function readJson(request: Request, response: Response, limit: number): Promise<true> {
  const [mediaType = '', ...parameters] = (request.headers['content-type'] ?? '').split(';');
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/i.exec(parameter)?.[1])
    .find(Boolean);
  const { bodyTypes } = formatOf(request);
  if (
    !bodyTypes.includes(mediaType.trim().toLowerCase()) ||
    request.headers['content-encoding'] !== undefined ||
    (charset && charset.toLowerCase() !== 'utf-8')
  ) {
    throw new UnsupportedMediaTypeException(
      `The body must be ${bodyTypes.join(' or ')} in UTF-8, without a Content-Encoding.`,
    );
  }
  const parserError = parserErrorOf(request);
  if (parserError) throw failure(parserError, limit);
  if (request.body !== undefined) {
    // The host application has read it, with its own limits.
    const size = parsedSize(request);
    if (size > limit) throw tooLarge(limit);
    if (size === 0) throw malformed();
    return true;
  }
  // The reader would read the whole body before it rejects it.
  if (Number(request.headers['content-length']) > limit) throw tooLarge(limit);
  await readWithinMemory(request, response, limit, () => {
    sendContinue(request, response);
    return new Promise<void>((resolve, reject) => {
      readerFor(limit)(request, response, (error?: { status?: number }) =>
        error ? reject(failure(error, limit)) : resolve(),
      );
    });
  });
  // express.raw() leaves `body` undefined if the request has none.
  const bytes: Buffer | undefined = request.body;
  if (bytes === undefined) throw malformed();
  request.body = parse(bytes);
  keepHash(request, bytes);
  return true;
}

/** Replaces the errors of express.raw(), and those of a host's parser, which repeat a part of the body. */
function failure(error: { status?: number; limit?: number }, limit: number): unknown {
  // The parser of a host may have a lower limit.
  if (error.status === 413) return tooLarge(Math.min(limit, error.limit ?? limit));
  return error.status && error.status < 500 ? malformed() : error;
}
