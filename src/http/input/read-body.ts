import { UnsupportedMediaTypeException } from '@nestjs/common';
import { raw, type Request, type Response } from 'express';
import { sendContinue } from '../server/expect-continue';
import { bodyTooLarge } from './body-of-route';
import { readWithinMemory } from './held-body';
import { parsedSize, parserErrorOf } from './parsed-body';

/** The media type of the body, without parameters. */
export const mediaTypeOf = ({ headers }: Request): string =>
  (headers['content-type'] ?? '').split(';', 1)[0].trim().toLowerCase();

/** Throws a 415 unless the body is of one of these types, in UTF-8 and not encoded. */
export function requireType(request: Request, types: readonly string[]): void {
  const { headers } = request;
  const [, ...parameters] = (headers['content-type'] ?? '').split(';');
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/i.exec(parameter)?.[1])
    .find(Boolean);
  const isSupported = types.includes(mediaTypeOf(request));
  if (isSupported && headers['content-encoding'] === undefined && /^(utf-8)?$/i.test(charset ?? '')) return;
  throw new UnsupportedMediaTypeException(
    `The body must be ${types.join(' or ')} in UTF-8, without a Content-Encoding.`,
  );
}

/** Of the bytes alone: they are parsed when there is memory for it. */
const readerOf = (limit: number) => raw({ limit, inflate: false, type: () => true });

/** The reader of each limit. */
const readers = new Map<number, ReturnType<typeof readerOf>>();

function readerFor(limit: number): ReturnType<typeof readerOf> {
  const reader = readers.get(limit) ?? readerOf(limit);
  readers.set(limit, reader);
  return reader;
}

/**
 * The bytes of the body, when there is memory to parse them; undefined if the request has none. Throws a 413 over the
 * limit, and the given exception if the body cannot be read.
 */
export async function readBody(
  request: Request,
  response: Response,
  limit: number,
  unreadable: () => Error,
): Promise<Buffer | undefined> {
  // The reader would read the whole body before it rejects it.
  if (Number(request.headers['content-length']) > limit) throw bodyTooLarge(limit);
  await readWithinMemory(request, response, limit, () => {
    sendContinue(request, response);
    return new Promise<void>((resolve, reject) => {
      readerFor(limit)(request, response, (error?: ReadError) =>
        error ? reject(failure(error, limit, unreadable)) : resolve(),
      );
    });
  });
  // express.raw() leaves `body` undefined if the request has none.
  return request.body as Buffer | undefined;
}

/** The size of a body that a host application has read, with its own limits; undefined if it has read none. */
export function sizeReadByHost(request: Request, limit: number, unreadable: () => Error): number | undefined {
  const parserError = parserErrorOf(request);
  if (parserError) throw failure(parserError, limit, unreadable);
  if (request.body === undefined) return undefined;
  const size = parsedSize(request);
  if (size > limit) throw bodyTooLarge(limit);
  return size;
}

interface ReadError {
  status?: number;
  limit?: number;
}

/** Replaces the errors of express.raw(), and those of a host's parser, which repeat a part of the body. */
function failure(error: ReadError, limit: number, unreadable: () => Error): unknown {
  // The parser of a host may have a lower limit.
  if (error.status === 413) return bodyTooLarge(Math.min(limit, error.limit ?? limit));
  return error.status && error.status < 500 ? unreadable() : error;
}
