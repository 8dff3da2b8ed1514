import type { Request } from 'express';

const PARSER_ERROR = Symbol('parser error');
const TYPES = /^(entity|encoding|charset|request|parameters)\./;

type Refused = Request & { [PARSER_ERROR]?: object };

/** Whether the body parser of an application threw this. */
export const isParserError = (error: unknown): error is object =>
  TYPES.test(String((error as { type?: unknown } | null)?.type));

/** Keeps what an application's parser said, until the caller has been found to be one who may send a body. */
export function keepParserError(request: Request, error: unknown): void {
  if (isParserError(error)) (request as Refused)[PARSER_ERROR] = error;
}

export const parserErrorOf = (request: Request): { status?: number } | undefined =>
  (request as Refused)[PARSER_ERROR];

/** What can still be told of a body that an application has parsed: its bytes are gone. */
export function parsedSize({ headers, body }: Request): number {
  const length = headers['content-length'];
  return length === undefined ? Buffer.byteLength(JSON.stringify(body)) : Number(length);
}
