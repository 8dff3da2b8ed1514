import type { Request } from 'express';

const PARSER_ERROR = Symbol('parser error');
const TYPES = /^(entity|encoding|charset|request|parameters|querystring)\./;

type WithParserError = Request & { [PARSER_ERROR]?: object };

/** Whether the body parser of a host application threw this error. */
export const isParserError = (error: unknown): error is object =>
  TYPES.test(String((error as { type?: unknown } | null)?.type));

/** Keeps an error of the host's parser on the request until the guards have accepted the caller. */
export function keepParserError(request: Request, error: unknown): void {
  if (isParserError(error)) (request as WithParserError)[PARSER_ERROR] = error;
}

export const parserErrorOf = (
  request: Request,
): { status?: number; limit?: number; body?: unknown } | undefined =>
  (request as WithParserError)[PARSER_ERROR];

/** The size of a body that the host has parsed: Content-Length, or that of it serialized, as its bytes are gone. */
export function parsedSize({ headers, body }: Request): number {
  const length = headers['content-length'];
  return length === undefined ? Buffer.byteLength(JSON.stringify(body)) : Number(length);
}
