import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { invalidInput } from '../fault';
import { pathOf } from '../location';

/** A request that is to be done once, however often it is sent. */
export interface IdempotentRequest {
  path: string;
  key: string;
  /** SHA-256 of the bytes of the body. */
  requestHash: Buffer;
}

const HEADER = 'Idempotency-Key';
const KEY = /^[!-~]{1,255}$/;

const hashes = new WeakMap<IncomingMessage, Buffer>();

/** Keeps the hash of the body if the request has the header. */
export function keepHash(request: IncomingMessage, body: Buffer): void {
  if (HEADER.toLowerCase() in request.headers) hashes.set(request, hash('sha256', body, 'buffer'));
}

/** The request with its Idempotency-Key, if it has one; throws a 400 if that is malformed. */
export function idempotentRequestOf(request: Request): IdempotentRequest | undefined {
  const value = request.headers[HEADER.toLowerCase()];
  if (value === undefined) return undefined;
  const key = /^"(.*)"$/s.exec(String(value))?.[1] ?? String(value);
  if (!KEY.test(key)) throw malformed('must have 1 to 255 characters from ! to ~');
  // A host application that has parsed the body has not kept its bytes.
  const requestHash = hashes.get(request) ?? hash('sha256', JSON.stringify(request.body), 'buffer');
  return { path: pathOf(request), key, requestHash };
}

/** Throws a 400 if the request has the header: its response shows a secret, which must not be kept. */
export function refuseKey({ headers }: Request): void {
  if (HEADER.toLowerCase() in headers)
    throw malformed('is not accepted, because the response is shown only once');
}

const malformed = (message: string) => invalidInput([{ field: HEADER, code: 'invalid', message }]);
