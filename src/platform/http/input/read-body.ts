import { once } from 'node:events';
import {
  BadRequestException,
  ServiceUnavailableException,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { Bulkhead } from '../../fairness/bulkhead';
import { EvictingBulkhead } from '../../fairness/evicting-bulkhead';
import { LIMITS } from '../../fairness/limits';
import { holderOf } from '../caller';
import { sendContinue } from '../server/expect-continue';
import { networkOf } from '../server/network';
import { bodyTooLarge, DEFAULT_BODY_LIMIT } from './body-of-route';
import { hold, letGo } from './held-body';
import { parsedSize, parserErrorOf } from './parsed-body';

const inFlight = new EvictingBulkhead(LIMITS.bodiesInFlight);
const small = new Bulkhead(LIMITS.smallBodies);
const large = new Bulkhead(LIMITS.largeBodies);

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

/** The size of a body that a host application has read, with its own limits; undefined if it has read none. */
export function sizeReadByHost(request: Request, limit: number, unreadable: () => Error): number | undefined {
  const error = parserErrorOf(request);
  // The parser may have a lower limit.
  if (error?.status === 413) throw bodyTooLarge(Math.min(limit, error.limit ?? limit));
  if (error) throw error.status && error.status < 500 ? unreadable() : error; // it repeats a part of the body
  if (request.body === undefined) return undefined;
  const size = parsedSize(request);
  if (size > limit) throw bodyTooLarge(limit);
  return size;
}

/**
 * The bytes of the body, when there is memory to parse them, which is reserved until the request has ended. Throws a
 * 413 over the limit, and a 503 if there is no memory in time, or if the owner has most of the bodies that arrive.
 */
export async function readBody(request: Request, response: Response, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length']) > limit) throw bodyTooLarge(limit);
  const owner = holderOf(request) ?? networkOf(request.ip);
  const stopping = new AbortController();
  const { signal } = stopping;
  let closed = () => stopping.abort(connectionClosed());
  onceClosed(request, response, () => closed());
  const chunks: Buffer[] = [];
  let length = 0;
  const body = { owner, size: () => length, evict: () => stopping.abort(evicted()) };
  inFlight.add(body);
  const receive = (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    inFlight.resized(body);
    if (length > limit) stopping.abort(bodyTooLarge(limit)); // the rest is not read
  };
  try {
    sendContinue(request, response);
    await arrived(request.on('data', receive), signal);
    const isLarge = length > DEFAULT_BODY_LIMIT;
    const leave = await (isLarge
      ? large.enter(owner, { signal })
      : small.enter(owner, { cost: length, signal }));
    hold(response, () => {
      request.body = undefined; // Node keeps the last request of a connection until the next one
      leave();
    });
    closed = () => letGo(response);
    if (signal.aborted) closed();
    signal.throwIfAborted();
    return Buffer.concat(chunks);
  } catch (error) {
    if (signal.aborted) stopReading(request, response);
    throw error;
  } finally {
    request.off('data', receive);
    inFlight.delete(body);
    chunks.length = 0; // the listeners above outlive it
  }
}

const connectionClosed = () => new BadRequestException('The caller has closed the connection.');

const evicted = () => new ServiceUnavailableException(LIMITS.bodiesInFlight.refusal);

async function arrived(request: Request, signal: AbortSignal): Promise<void> {
  if (request.readableEnded) return; // a host has read it, and kept nothing
  await once(request, 'end', { signal }).catch(() => {
    throw signal.aborted ? signal.reason : connectionClosed();
  });
}

/** What has arrived is released with the request; otherwise the rest would still be read. */
function stopReading(request: Request, response: Response): void {
  request.pause();
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

/** A response that waits behind another one on its connection does not notice that the connection closes. */
function onceClosed({ socket }: Request, response: Response, listener: () => void): void {
  let isOpen = true;
  const close = () => {
    response.off('close', close);
    socket.off('close', close);
    // If both close, the second call comes although its listener has been removed.
    if (isOpen) listener();
    isOpen = false;
  };
  response.once('close', close);
  socket.once('close', close);
  if (response.destroyed || socket.destroyed) close();
}
